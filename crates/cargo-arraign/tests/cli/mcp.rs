//! `cargo arraign mcp`: the mock tools of a case on standard streams.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use arraign::json::{self, Json, json};

const CASE: &str = "id: a\ninput: x\nmetric: contains\nvalue: x\nmocks:\n  tools: {get_order: {when: {id: 7}, return: shipped}}\n  decoys: [rm]\ntrace: {answer: x}\n";

/// Sends calls, and returns the messages of the server by their ids, its exit code, and its standard error.
fn serve(arguments: &[&str], calls: &[Json]) -> (Vec<Json>, Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/shop.yaml"), CASE).expect("a case");
    let mut server = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
    server.args(arguments).current_dir(folder.path());
    server.env_remove("CARGO_MANIFEST_DIR").env_remove("ARRAIGN_MCP_URL");
    server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().expect("the server starts");
    let mut stdin = server.stdin.take().expect("its input");
    let client = json!({"name": "claims", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    // A server that refuses its arguments reads nothing.
    let _ =
        writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
    let _ = writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for (at, call) in calls.iter().enumerate() {
        let id = at + 1;
        let method = &call["method"];
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": call["params"]});
        let _ = writeln!(stdin, "{message}");
    }
    std::thread::sleep(std::time::Duration::from_millis(1500));
    drop(stdin);
    let output = server.wait_with_output().expect("the server ends");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut messages: Vec<Json> = text.lines().map(|line| json::from_str(line).expect("a message")).collect();
    messages.sort_by_key(|message| message["id"].as_u64());
    (messages, output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn call(name: &str, arguments: &Json) -> Json {
    json!({"method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

#[test]
fn the_tools_of_a_case_are_served() {
    let list = json!({"method": "tools/list", "params": {}});
    let calls = [list, call("get_order", &json!({"id": 7}))];
    let (messages, code, errors) = serve(&["mcp", "--case", "shop::a"], &calls);
    assert_eq!(code, Some(0), "{errors}");
    let names: Vec<_> =
        messages[1]["result"]["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["get_order", "rm"]);
    assert_eq!(messages[2]["result"]["content"][0]["text"], "shipped");
}

#[test]
fn a_call_without_an_answer_is_refused_and_reported() {
    let (messages, code, errors) =
        serve(&["mcp", "--case", "shop::a"], &[call("get_order", &json!({"id": 8}))]);
    let problem = "no answer of `get_order` applies to {\"id\":8}";
    assert_eq!(messages[1]["error"]["message"], format!("arraign: {problem}"));
    assert_eq!(code, Some(101));
    assert!(errors.contains(problem), "{errors}");
}

#[test]
fn a_call_that_names_no_tool_is_reported_whatever_the_protocol_makes_of_it() {
    let nameless = json!({"method": "tools/call", "params": {"arguments": {}}});
    let (_, code, errors) = serve(&["mcp", "--case", "shop::a"], &[nameless]);
    assert_eq!(code, Some(101), "{errors}");
    assert!(errors.contains("the agent sent a `tools/call` that names no tool"), "{errors}");
}

#[test]
fn an_unknown_case_is_a_mistake() {
    let (_, code, errors) = serve(&["mcp", "--case", "shop::b"], &[]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("no case is called `shop::b`"), "{errors}");
    let (_, code, errors) = serve(&["mcp"], &[]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("set ARRAIGN_MCP_URL to the address of a run"), "{errors}");
}
