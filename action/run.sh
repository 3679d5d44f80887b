#!/usr/bin/env bash
# Runs the cases, and keeps the exit code for the last step: the steps between publish the results of a red run as well.
set -uo pipefail

case "$COMMAND" in
*"cargo arraign"*)
    command -v cargo-arraign >/dev/null || cargo install cargo-arraign --version "$VERSION" --locked || exit 2
    ;;
esac
if [ -f "${BASE_REPORT:-}" ]; then
    export ARRAIGN_COMPARE=$BASE_REPORT
fi
bash -c "$COMMAND"
code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
# A run that could not start leaves no report.
if [ -f "$ARRAIGN_OUT/report.md" ]; then
    cat "$ARRAIGN_OUT/report.md" >>"$GITHUB_STEP_SUMMARY"
fi
