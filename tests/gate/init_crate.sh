#!/usr/bin/env bash
# `cargo arraign init` in an empty crate: green, then red by the line that the first case tells, then nothing left to
# add. Then `init --agent model`: an agent whose model is recorded, and replayed without it.
# Uses the target folder of this checkout, so that nothing is built twice.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target} CARGO_PROFILE_DEV_DEBUG=0
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
[ -n "${PROGRAM_IS_BUILT:-}" ] || (cd "$here" && cargo build --offline --package cargo-arraign)
PATH="$CARGO_TARGET_DIR/debug:$PATH"

cargo init --quiet --lib --vcs none --name scratch_init "$crate"
cp "$here/Cargo.lock" "$crate/"
cd "$crate"

expect() { # code, text that the output holds, command
    set +e
    "${@:3}" >"$crate/out" 2>&1
    local code=$?
    set -e
    if [ "$code" != "$1" ] || ! grep -qF -- "$2" "$crate/out"; then
        cat "$crate/out"
        echo "expected exit code $1 (got $code) and: $2"
        exit 1
    fi
    echo "exit code $code: $2"
}

expect 0 'wrote  evals/first.yaml' cargo arraign init --path "$here"
expect 0 'test first::order_status ... ok' cargo test --offline --test evals
sed -i 's/# - call:/- call:/' evals/first.yaml
expect 101 'error[call]: `cancel_order` was never called' cargo test --offline --test evals
expect 0 'Nothing was changed.' cargo arraign init

# The agent asks its model with nothing but the standard library; the model is a server with one reply.
agent=$(mktemp -d)
trap 'rm -rf "$crate" "$agent"; kill "${model:-}" 2>/dev/null || true' EXIT
cargo init --quiet --lib --vcs none --name scratch_agent "$agent"
cp "$here/Cargo.lock" "$agent/"
cd "$agent"
expect 0 'wrote  evals/support.yaml' cargo arraign init --agent model --workflow none --path "$here"
expect 101 'the requests to the model are not recorded' cargo test --offline --test evals
python3 - <<'END'
import pathlib, re
path = pathlib.Path("tests/evals.rs")
agent = r"""
    use std::io::{Read as _, Write as _};
    let (host, path) = model.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or("no address")?;
    let body = format!(r#"{{"model": "gpt-5", "messages": [{{"role": "user", "content": {:?}}}]}}"#, input.query);
    let mut stream = std::net::TcpStream::connect(host)?;
    let length = body.len();
    let head = format!("POST /{path}/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
    write!(stream, "{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")?;
    stream.read_to_string(&mut String::new())?;
    Ok(Trace::default())
"""
text, count = re.subn(r"\n    Err\(format!\(\"no agent yet.*\n", lambda _: agent, path.read_text())
assert count == 1
path.write_text(text)
END
cat >model.py <<'END'
import http.server, json

class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is TRK-88."}}
        reply = json.dumps({"id": "r", "object": "chat.completion", "model": "gpt-5", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *arguments):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Model)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 model.py >port &
model=$!
until [ -s port ]; do sleep 0.1; done
OPENAI_BASE_URL="http://127.0.0.1:$(cat port)/v1" ARRAIGN_AGENT_MODE=record \
    expect 101 'error[call]: `get_order` was never called' cargo test --offline --test evals -- support
kill "$model"
[ -s evals/cassettes/support/order_status.model.jsonl ] || { echo "nothing was recorded"; exit 1; }
# The model is gone, and a question that it was not asked is noticed.
sed -i '/call: {tool: get_order/d' evals/support.yaml
expect 0 'test support::order_status ... ok' cargo test --offline --test evals
sed -i 's/order 1042/order 1043/' evals/support.yaml
expect 101 'is not recorded; the nearest is line 1' cargo test --offline --test evals
