# An account: `pay` takes an amount from its balance, and fails if there is too little. `balance` says what is left. The program
# reads {"state": {"balance": ..., "payments": ...}, "call": {"name": ..., "arguments": {"amount": ...}}}.
line=$(cat)
find_number() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }
balance=$(find_number balance)
payments=$(find_number payments)
case "$line" in
*'"name":"pay"'*)
    left=$((balance - $(find_number amount)))
    if [ "$left" -ge 0 ]; then
        echo "{\"state\": {\"balance\": $left, \"payments\": $((payments + 1))}, \"answer\": {\"left\": $left}}"
    else
        echo "{\"state\": {\"balance\": $balance, \"payments\": $payments}, \"answer\": \"not enough\", \"failed\": true}"
    fi
    ;;
*) echo "{\"state\": {\"balance\": $balance, \"payments\": $payments}, \"answer\": $balance}" ;;
esac
