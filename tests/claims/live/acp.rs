//! Agents that speak the Agent Client Protocol: what they may do, what their messages become, and what fails the trial.

use std::fs;

use arraign::json::{Json, json};
use arraign::reader::read;
use arraign::trace::{CallStatus, Ended, Trace};

use super::{LIVE, RECORD};
use crate::project::{Project, Ran, subject};
use crate::server::{Reply, Server};

/// A case `a` whose agent does these steps in its only turn.
fn project(steps: &Json, agent: &str, more: &str, expect: &str) -> Project {
    scripted(&json!({"turns": [steps.clone()]}), agent, more, expect)
}

/// A case `a` whose agent has this script.
fn scripted(script: &Json, agent: &str, more: &str, expect: &str) -> Project {
    let command = format!("[{}, --acp, \"{{{{package}}}}/script.json\"]", subject().display());
    let case =
        format!("id: a\ninput: Fix the cart.\nagent: {{acp: {command}{agent}}}\n{more}expect: [{expect}]\n");
    Project::empty().file("evals/s.yaml", case).file("script.json", script.to_string())
}

fn run(project: &Project, variables: &[(&str, &str)]) -> Ran {
    let _ = fs::remove_dir_all(project.path("out"));
    project.run_with(variables, &[])
}

/// The recorded run.
fn trace(project: &Project) -> Trace {
    let recording = read(&project.read("evals/traces/s/a.json"), None).expect("a trace");
    recording.runs[0].clone()
}

/// Updates of an edit, in the order of its life.
fn edit() -> Vec<Json> {
    let diff = json!({"type": "diff", "path": "$CWD/cart.py", "oldText": "a", "newText": "b"});
    [
        json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit cart.py", "kind": "edit", "status": "pending"}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress",
            "content": [{"type": "content", "content": {"type": "text", "text": "soon"}}]}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": [diff],
            "_meta": {"claudeCode": {"toolName": "Edit"}}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}),
    ]
    .into_iter()
    .map(|update| json!({"update": update}))
    .collect()
}

/// A request for the permission of a call of this kind, with options of these kinds.
fn permission(kind: &str, options: &[&str]) -> Json {
    let options: Json = options
        .iter()
        .map(|kind| json!({"optionId": format!("o-{kind}"), "name": "x", "kind": *kind}))
        .collect();
    json!({"ask": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "c1", "kind": kind, "title": "rm -rf", "status": "pending"}, "options": options}})
}

const ALL: [&str; 4] = ["allow_always", "allow_once", "reject_always", "reject_once"];

#[test]
fn a_session_is_a_run_and_its_recording_is_replayed_without_the_agent() {
    let mut steps = edit();
    steps.push(json!({"say": "I "}));
    steps.push(json!({"say": "fixed it."}));
    steps.push(json!({"update": {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.02, "currency": "USD"}}}));
    steps.push(json!({"usage": {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120}}));
    let expect = "{tool_called: Edit}, {equals: I fixed it.}, {ended: well}, {tokens_at_most: 120}, {cost_at_most: 0.02}, \
                  {tool_input: {tool: Edit, type: jsonpath, path: $.path, equals: /workspace/cart.py}}";
    let project = project(&Json::Array(steps), "", "", expect);
    run(&project, &[RECORD]).exits(0);
    let run_once = trace(&project);
    assert_eq!((run_once.agent.as_deref(), run_once.calls.len()), (Some("scripted"), 1));
    assert_eq!(run_once.calls[0].status, CallStatus::Ok);
    fs::remove_file(project.path("script.json")).expect("the script is gone");
    run(&project, &[]).exits(0);
}

/// Updates of a call that say each thing once, so that none replaces what another one says.
fn once() -> [Json; 4] {
    let diff = json!({"type": "diff", "path": "$CWD/cart.py", "oldText": "a", "newText": "b"});
    [
        json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Edit cart.py", "kind": "edit", "status": "pending"}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress", "locations": [{"path": "$CWD/cart.py"}]}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": [diff], "_meta": {"claudeCode": {"toolName": "Edit"}}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed", "rawOutput": {"written": true}}),
    ]
}

/// The same update in several, each of which says one thing.
fn split(update: &Json) -> Vec<Json> {
    let kept = ["sessionUpdate", "toolCallId"];
    let said = update.as_object().expect("an update").iter().filter(|(key, _)| !kept.contains(&key.as_str()));
    said.map(|(key, value)| {
        let mut part = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1"});
        part[key.as_str()] = value.clone();
        part
    })
    .collect()
}

/// All orders of four things.
fn list_orders() -> Vec<[usize; 4]> {
    let all = (0..256).map(|number| [number % 4, number / 4 % 4, number / 16 % 4, number / 64]);
    all.filter(|order| (0..4).all(|at| order.contains(&at))).collect()
}

/// Whatever the order and the split of the updates, the trace is one.
#[test]
fn updates_in_any_order_and_split_give_one_trace() {
    let updates = once();
    let mut scripts: Vec<Vec<Json>> =
        list_orders().iter().map(|order| order.iter().map(|at| updates[*at].clone()).collect()).collect();
    assert_eq!(scripts.len(), 24);
    let parts: Vec<Json> = updates.iter().flat_map(split).collect();
    for first in 0..parts.len() {
        // The word for the end of a call is one that no later word takes back, so it is the last of its kind.
        let mut turned = parts.clone();
        turned.rotate_left(first);
        let end = turned.iter().position(|part| part["status"] == "completed").expect("an end");
        let end = turned.remove(end);
        turned.push(end);
        scripts.push(turned);
    }
    let mut project = Project::empty();
    let mut cases = vec!["defaults: {input: Fix the cart.}\ntests:\n".to_owned()];
    for (number, steps) in scripts.iter().enumerate() {
        let steps: Json = steps.iter().map(|update| json!({"update": update.clone()})).collect();
        let name = format!("script-{number}.json");
        let agent = format!("{{acp: [{}, --acp, \"{{{{package}}}}/{name}\"]}}", subject().display());
        cases.push(format!("  - {{id: c{number}, agent: {agent}, expect: [{{tool_called: Edit}}]}}\n"));
        project = project.file(&name, json!({"turns": [steps]}).to_string());
    }
    let project = project.file("evals/s.yaml", cases.concat());
    run(&project, &[RECORD]).exits(0);
    let calls: Vec<_> = (0..scripts.len())
        .map(|number| {
            let recording = project.read(&format!("evals/traces/s/c{number}.json"));
            let mut trace = read(&recording, None).expect("a trace").runs.remove(0);
            assert_eq!(trace.calls.len(), 1, "{}", Json::Array(scripts[number].clone()));
            let mut call = trace.calls.remove(0);
            (call.started_ms, call.duration_ms) = (None, None);
            call
        })
        .collect();
    for (call, steps) in calls.iter().zip(scripts) {
        assert_eq!(call, &calls[0], "{}", Json::Array(steps));
    }
    assert_eq!((calls[0].name.as_str(), calls[0].status), ("Edit", CallStatus::Ok));
    assert_eq!(calls[0].arguments.get("newText"), Some(&json!("b")));
    assert_eq!(calls[0].result, Some(json!({"written": true})));
}

/// A later `content` replaces an earlier one.
#[test]
fn the_last_content_of_a_call_counts() {
    let project = project(&edit().into(), "", "", "{tool_called: Edit}");
    run(&project, &[RECORD]).exits(0);
    let call = &trace(&project).calls[0];
    assert_eq!((call.arguments.get("newText"), &call.result), (Some(&json!("b")), &None));
}

#[test]
fn permissions_are_granted_by_kind_and_name_and_refused_otherwise() {
    let failed = json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed",
        "_meta": {"claudeCode": {"toolName": "Bash"}}}});
    for (agent, options, wanted, is_refused) in [
        ("", &ALL[..], "o-reject_once", true),
        (", permissions: allow", &ALL, "o-allow_once", false),
        (", permissions: {allow: [execute]}", &ALL, "o-allow_once", false),
        (", permissions: {allow: [execute], deny: [execute]}", &ALL, "o-allow_once", false),
        (", permissions: {allow: [edit]}", &ALL, "o-reject_once", true),
        (", permissions: {deny: [edit]}", &ALL, "o-reject_once", true),
        (", permissions: deny", &ALL[..3], "o-reject_always", true),
        (", permissions: allow", &ALL[..1], "o-allow_always", false),
    ] {
        let steps = json!([permission("execute", options), failed, {"said": true}]);
        let project = project(&steps, agent, "", &format!("{{contains: {wanted}}}"));
        run(&project, &[RECORD]).exits(0);
        let call = &trace(&project).calls[0];
        assert_eq!(call.status, CallStatus::Error, "{agent}");
        let error = call.error.as_deref().unwrap_or_default();
        assert_eq!(error.starts_with("the permission was refused"), is_refused, "{agent}: {error}");
    }
}

#[test]
fn a_permission_without_a_fitting_option_leaves_the_trial_undecided() {
    let steps = json!([permission("execute", &["reject_once"]), {"said": true}]);
    let project = project(&steps, ", permissions: allow", "", "{contains: cancelled}");
    run(&project, &[LIVE]).exits(101).says(
        "undecided: the run broke off: the agent asked for a permission and offered no option to grant it",
    );
}

#[test]
fn the_ends_of_a_session_are_those_of_its_run() {
    for (reason, expect) in [
        ("end_turn", "well"),
        ("refusal", "well"),
        ("max_tokens", "cut"),
        ("max_turn_requests", "limit"),
        ("cancelled", "limit"),
    ] {
        let steps = json!([{"say": "Done."}, {"stop": reason}]);
        run(&project(&steps, "", "", &format!("{{ended: {expect}}}")), &[LIVE]).exits(0);
    }
    let open = json!([edit()[0], edit()[1], {"say": "Done."}]);
    let pending = project(&open, "", "", "{ended: well}");
    run(&pending, &[RECORD]).exits(0);
    assert_eq!(trace(&pending).calls[0].status, CallStatus::Unanswered);
}

#[test]
fn a_turn_is_cancelled_at_the_limit() {
    let steps = json!([edit()[0], edit()[2], edit()[3], {"hang": "obey"}]);
    let obeying = project(&steps, ", timeout: 1s", "", "{not_called: rm}, {ended: limit}");
    run(&obeying, &[RECORD]).exits(0);
    assert!(matches!(&trace(&obeying).ended, Ended::Limit(why) if why.contains("no answer within 1s")));
    let ignoring = project(&json!([{"hang": "ignore"}]), ", timeout: 1s", "", "{not_called: rm}");
    run(&ignoring, &[LIVE])
        .exits(101)
        .says("timed out: no answer within 1s")
        .says("the scripted agent began");
}

#[test]
fn an_agent_that_cannot_begin_is_an_error_with_its_reason() {
    for (script, message) in [
        (json!({"version": 2}), "it speaks version 2 of the Agent Client Protocol, and arraign speaks 1"),
        (json!({"version": "2025-06-18"}), "it speaks version \"2025-06-18\""),
        (json!({"wants_login": true}), "its `authMethods` are `key` (set SHOP_KEY)"),
        (json!({"wants_login": true}), "`env: [NAME_OF_A_KEY]` on the agent passes a variable of yours on"),
        (
            json!({"turns": [[{"print": "Loading..."}]]}),
            "standard output is for the messages of the protocol alone",
        ),
        (json!({"turns": [[{"print": "{\"a\": 1}"}]]}), "not a message of JSON-RPC 2.0"),
        (json!({"turns": [[{"exit": 3}]]}), "failed: it exited with code 3"),
        (json!({"turns": [[{"exit": 0}]]}), "its output ended before it had answered"),
    ] {
        let project = scripted(&script, "", "", "{not_called: rm}");
        run(&project, &[LIVE]).exits(101).says(message);
        assert_eq!(project.verdict("s::a")["status"], "error", "{script}");
    }
}

#[test]
fn files_are_those_of_the_workspace_and_other_requests_are_refused() {
    let ask = |method: &str, params: &Json| json!({"ask": method, "params": params});
    let steps = json!([
        edit()[0],
        ask("fs/write_text_file", &json!({"path": "$CWD/src/new.py", "content": "one\ntwo\n"})),
        ask("fs/read_text_file", &json!({"path": "$CWD/src/new.py", "line": 2})),
        ask("fs/read_text_file", &json!({"path": "/etc/passwd"})),
        ask("fs/write_text_file", &json!({"path": "$CWD/../out.txt", "content": "x"})),
        ask("terminal/create", &json!({"command": "ls"})),
        ask("elicitation/create", &json!({"message": "Which cart?"})),
        edit()[2], edit()[3], {"said": true},
    ]);
    let expect = r#"{files: {exists: src/new.py}}, {contains: '"two\n"'}, {contains: "/etc/passwd is outside of the session's folder"}, {contains: 'without `..`'}, {contains: '-32601'}, {contains: '"decline"'}"#;
    let project = project(&steps, "", "workspace: {}\n", expect);
    let ran = run(&project, &[LIVE]).exits(0);
    assert!(
        ran.stderr.contains("a: the agent asked for an input (`elicitation/create`), and was declined"),
        "{}",
        ran.stderr
    );
}

/// What the client does not know is a part that was not read.
#[test]
fn unknown_updates_and_requests_leave_checks_of_absence_undecided() {
    for step in [
        json!({"update": {"sessionUpdate": "teleport", "rawInput": {"to": "prod"}}}),
        json!({"ask": "vendor/deploy", "params": {}}),
    ] {
        let steps = json!([step, {"say": "Done."}]);
        let project = project(&steps, "", "", "{not_called: rm}");
        run(&project, &[LIVE]).exits(101).says("undecided: the trace was not read completely");
    }
}

#[test]
fn an_agent_without_a_workspace_works_in_a_scratch_folder() {
    let steps = json!([{"write": ["notes.txt", "x"]}, {"say": "$CWD"}]);
    let project = project(&steps, "", "", "{equals: /workspace}");
    run(&project, &[LIVE]).exits(0);
    assert!(!project.path("notes.txt").exists());
    assert_eq!(project.verdict("s::a")["runs"][0].get("workspace"), None);
}

#[test]
fn changes_of_the_agent_are_those_of_its_workspace() {
    let steps = json!([{"write": ["notes.txt", "x"]}, {"say": "Done."}]);
    let project = project(&steps, "", "workspace: {}\n", "{changes: {only: [src]}}");
    run(&project, &[LIVE]).exits(101).says("`notes.txt` changed (added, +1 -0)");
}

/// A case with mock tools.
fn shop(script: &Json, expect: &str) -> Project {
    let mocks = "mocks: {name: shop, tools: {get_order: {return: shipped}}}\n";
    scripted(script, "", mocks, expect)
}

#[test]
fn the_mocks_of_a_case_are_servers_of_the_session_and_always_allowed() {
    let asked = json!({"ask": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "c9", "title": "mcp__shop__get_order", "kind": "other"},
        "options": [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]}});
    let done = json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c9", "status": "completed",
        "name": "mcp__shop__get_order"}});
    for http in [true, false] {
        let script = json!({"http": http, "turns": [[
            {"list": true}, asked, {"call": ["get_order", {"id": 7}]}, done, {"said": true}
        ]]});
        let project =
            shop(&script, "{tool_called: 'shop:get_order'}, {contains: shipped}, {contains: '\"yes\"'}");
        run(&project, &[LIVE]).exits(0);
    }
}

#[test]
fn an_agent_that_ignores_the_mocks_is_an_error() {
    let project = shop(&json!({"turns": [[{"say": "Shipped."}]]}), "{not_called: rm}");
    run(&project, &[LIVE])
        .exits(101)
        .says("ignored the `mocks` of the case")
        .says("reached the mock server before the first answer");
    assert_eq!(project.verdict("s::a")["status"], "error");
}

/// An agent that failed, or was stopped, before it listed its tools may have been about to do so.
#[test]
fn a_turn_that_failed_or_was_cancelled_is_reported_before_the_mocks_are_asked_for() {
    let failed = shop(&json!({"turns": [[{"fail": "the quota is used up"}]]}), "{ended: well}");
    let ran = run(&failed, &[LIVE]).exits(101).says("the quota is used up");
    assert!(!ran.stdout.contains("ignored the `mocks`"), "{}", ran.stdout);
    let cancelled = shop(&json!({"turns": [[{"hang": "obey"}]]}), "{ended: well}");
    let text = cancelled.read("evals/s.yaml").replace("/script.json\"]", "/script.json\"], timeout: 1s");
    cancelled.write("evals/s.yaml", text);
    let ran = run(&cancelled, &[LIVE]).exits(101).says("no answer within 1s");
    assert!(!ran.stdout.contains("ignored the `mocks`"), "{}", ran.stdout);
}

/// What an agent says before it knows the tools of its case was said without them.
#[test]
fn an_agent_that_lists_the_mocks_after_its_first_answer_is_an_error() {
    let late = json!([{"list": true}, {"call": ["get_order", {"id": 7}]}, {"said": true}]);
    let script = json!({"turns": [[{"say": "Shipped."}], late]});
    let project = shop(&script, "{contains: shipped}");
    let text =
        project.read("evals/s.yaml").replace("input: Fix the cart.", "input: [Where is it?, And now?]");
    project.write("evals/s.yaml", text);
    run(&project, &[LIVE]).exits(101).says("ignored the `mocks` of the case");
    assert_eq!(project.verdict("s::a")["status"], "error");
}

#[test]
fn each_turn_is_a_prompt_of_one_session() {
    let script = json!({"turns": [[{"say": "$PID"}], [edit()[0], edit()[2], edit()[3], {"say": "Second."}], [{"say": "Third."}]]});
    let project = scripted(&script, "", "", "{equals: Second.}, {tool_called: Edit}");
    let text = project.read("evals/s.yaml").replace(
        "input: Fix the cart.",
        "input: [Fix the cart., And the tests., And more.]\nstop_when: {contains: Second}",
    );
    project.write("evals/s.yaml", text);
    run(&project, &[RECORD]).exits(0);
    let texts: Vec<String> = trace(&project).messages.into_iter().map(|message| message.text).collect();
    assert_eq!((texts.len(), texts[3].as_str()), (4, "Second."), "{texts:?}");
}

#[test]
fn a_secret_in_a_message_discards_the_run() {
    let steps = json!([{"say": "the key is $SHOP_API_KEY"}]);
    let project = project(&steps, ", env: [SHOP_API_KEY]", "", "{not_called: rm}");
    let key = ("SHOP_API_KEY", "sk-live-0123456789abcdef");
    run(&project, &[RECORD, key]).exits(101).says("wrote the value of the secret `SHOP_API_KEY`");
    project.holds_nowhere("sk-live-0123456789abcdef");
}

#[test]
fn a_variant_has_its_own_recording() {
    let project = project(&json!([{"say": "Done."}]), "", "", "{equals: Done.}");
    project.write("evals/arraign.yaml", "variants:\n  fast: {env: {SPEED: fast}}\n");
    run(&project, &[RECORD, ("ARRAIGN_VARIANT", "fast")]).exits(0);
    assert!(project.path("evals/traces/s/a@fast.json").exists(), "{:?}", project.files("evals"));
}

#[test]
fn settings_that_do_not_belong_together_are_errors() {
    for (agent, message) in [
        ("{acp: [x], command: [y]}", "an agent is asked over `acp`, or it is a `command`"),
        ("{acp: [x], http: {url: 'http://x'}}", "an agent is asked over `acp`, or it is a `http`"),
        ("{command: [x], permissions: allow}", "`permissions` are those of an agent over `acp`"),
        ("{acp: [x], cwd: sub}", "this is a setting of a `command`"),
        ("{acp: [x], permissions: {allow: ['']}}", "expected a kind of call or the name of a tool"),
        ("{acp: [x], permissions: {alow: [edit]}}", "unknown"),
    ] {
        let case = format!("id: a\ninput: x\nagent: {agent}\nexpect: [{{not_called: rm}}]\n");
        let ran = Project::empty().file("evals/s.yaml", case).run(&[]).exits(2);
        assert!(ran.stderr.contains(message), "{agent}: {}", ran.stderr);
    }
}

/// The prompt and the reply hold the folder of the run, which is another one in the replay.
#[test]
fn a_recorded_model_is_replayed_in_another_folder() {
    let server = Server::new(|asked, _| {
        let text = asked.json()["messages"][0]["content"].clone();
        Reply::json(
            &json!({"model": "m-1", "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}),
        )
    });
    let upstream =
        format!(", env: [OPENAI_API_KEY], model: {{upstream: {{openai: '{}/v1'}}}}", server.url(""));
    let steps = json!([{"model": "look at $CWD/cart.py"}]);
    let project =
        project(&steps, &upstream, "workspace: {}\n", "{equals: look at /workspace/cart.py as asked}");
    let key = ("OPENAI_API_KEY", "sk-live-0123456789abcdef");
    run(&project, &[RECORD, key]).exits(0);
    assert_eq!(server.asked().len(), 1);
    let cassette = project.read("evals/cassettes/s/a.model.jsonl");
    assert_eq!(cassette.matches("look at /workspace/cart.py").count(), 2, "{cassette}");
    run(&project, &[("HARNESS_TEST_ALLOWED", "1"), key]).exits(0);
    assert_eq!(server.asked().len(), 1, "the replay asks nobody");
}
