//! Runs that are written in the formats of others, and read back: arraign loses nothing with ATIF, and what others lose is
//! listed.

use arraign_trace::json::{self, Json, json};
use arraign_trace::reader::{read, read_native};
use arraign_trace::trace::{CallStatus, Results, Trace};
use arraign_trace::write::{to_atif, to_openai_chat};

use crate::samples;

/// The runs of all samples that a reader reads, each with the name of its file.
fn runs() -> Vec<(String, Trace)> {
    let mut runs = Vec::new();
    for (format, files) in samples::named_samples() {
        for (name, text) in files {
            let Ok(recording) = read(&text, None) else { continue };
            let named = |(index, run)| (format!("{format}/{name} run {}", index + 1), run);
            runs.extend(recording.runs.into_iter().enumerate().map(named));
        }
    }
    runs
}

/// The run as it comes back: whether results were recorded may be left open by people alone.
fn with_results_said(mut trace: Trace) -> Trace {
    if trace.results == Results::Optional {
        let has_results = trace.calls.iter().any(|call| call.status != CallStatus::Unanswered);
        trace.results = if has_results { Results::Recorded } else { Results::NotRecorded };
    }
    trace
}

/// The fields in which a run differs from what came back.
fn list_differences(wanted: &Trace, again: &[Trace]) -> String {
    let [again] = again else { return format!("{} runs came back", again.len()) };
    let [wanted, again] = [wanted, again].map(|run| json::to_json(run).expect("a run is JSON"));
    let fields = wanted.as_object().expect("an object").iter();
    let differing = fields.filter(|(key, value)| again.get(key.as_str()) != Some(value));
    let shown = differing.map(|(key, value)| format!("  {key}: {value}, not {:?}", again.get(key.as_str())));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_sample_survives_atif() {
    let mut survived = 0;
    let mut wrong = Vec::new();
    for (name, run) in runs() {
        let Ok(written) = to_atif(&run) else {
            assert!(run.calls.is_empty() && run.messages.is_empty(), "{name} is refused");
            continue;
        };
        let again = match read(&written.text, None) {
            Ok(recording) => recording.runs,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let wanted = with_results_said(run);
        if again != [wanted.clone()] {
            wrong.push(format!("{name}:\n{}", list_differences(&wanted, &again)));
        }
        survived += 1;
    }
    assert!(wrong.is_empty(), "{} of {survived}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(survived > 150, "only {survived}");
}

/// What ATIF loses of a run with these steps, a line each.
fn list_losses(steps: &Json) -> Vec<String> {
    let run = read_native(json!({"steps": steps})).expect("a run");
    to_atif(&run).expect("ATIF").losses.iter().map(ToString::to_string).collect()
}

#[test]
fn what_others_lose_is_listed_by_key_and_call() {
    let lost = list_losses(&json!([
        {"user": "Refund 7."},
        {"call": "refund", "args": {"id": 7}, "error": "no", "server": "shop"},
        {"call": "refund", "args": [7], "id": "b", "result": {"done": true}},
        {"say": "Done."},
    ]));
    let kept = "kept in `extra.arraign`, which arraign reads";
    assert_eq!(
        lost,
        [
            "`agent` of the run: it has no name, so it is `unknown`".to_owned(),
            "`agent.version` of the run: no trace has it, so it is `unknown`".to_owned(),
            "`args` of call 2: arguments are a mapping, so others are under `_raw`; kept in `extra.arraign`"
                .to_owned(),
            format!("`error` of call 1: {kept}"),
            "`id` of call 1: each call needs an id of its own, such as `call_1`".to_owned(),
            "`result` of calls 1, 2: a result is a text, so JSON is written as one; kept in `extra.arraign`"
                .to_owned(),
            format!("`server` of call 1: {kept}"),
            format!("`status` of calls 1, 2: {kept}"),
        ]
    );
}

/// What a user of `jq` sees, and what Harbor's models want.
#[test]
fn a_trajectory_is_plain_atif() {
    let run = read_native(json!({"id": "r1", "agent": "shop", "model": "m", "steps": [
        {"system": "Be kind."},
        {"user": "Where is order 7?"},
        {"say": "I look.", "reasoning": "It is one call."},
        {"call": "get_order", "args": {"id": 7}, "id": "a", "result": "shipped", "status": "unknown"},
        {"call": "get_order", "args": {"id": 8}, "id": "a", "turn": 1},
        {"call": "search", "args": {}, "id": "c", "agent_path": ["helper"], "result": "x", "status": "unknown"},
        {"say": "It ships."},
    ], "usage": {"input_tokens": 10, "output_tokens": 2, "cached_tokens": 4}, "cost_usd": 0.5, "results": "recorded"}));
    let written = to_atif(&run.expect("a run")).expect("ATIF");
    let trajectory: Json = json::from_str(&written.text).expect("JSON");
    assert_eq!(
        trajectory,
        json!({
            "schema_version": "ATIF-v1.8",
            "session_id": "r1",
            "agent": {"name": "shop", "version": "unknown", "model_name": "m"},
            "steps": [
                {"step_id": 1, "source": "system", "message": "Be kind."},
                {"step_id": 2, "source": "user", "message": "Where is order 7?"},
                {"step_id": 3, "source": "agent", "message": "I look.", "reasoning_content": "It is one call.",
                 "tool_calls": [
                    {"tool_call_id": "a", "function_name": "get_order", "arguments": {"id": 7}},
                    {"tool_call_id": "a_2", "function_name": "get_order", "arguments": {"id": 8},
                     "extra": {"arraign": {"id": "a"}}}],
                 "observation": {"results": [{"source_call_id": "a", "content": "shipped"}]}},
                {"step_id": 4, "source": "agent", "message": "",
                 "extra": {"is_sidechain": true, "agent_id": "helper"},
                 "tool_calls": [{"tool_call_id": "c", "function_name": "search", "arguments": {},
                                 "extra": {"arraign": {"agent_path": ["helper"]}}}],
                 "observation": {"results": [{"source_call_id": "c", "content": "x"}]}},
                {"step_id": 5, "source": "agent", "message": "It ships."},
            ],
            "final_metrics": {"total_prompt_tokens": 10, "total_completion_tokens": 2, "total_cached_tokens": 4,
                              "total_cost_usd": 0.5},
            "extra": {"arraign": {}},
        })
    );
}

/// A tool that knows nothing of arraign may add a call to a file that arraign wrote: it counts.
#[test]
fn a_call_that_somebody_added_is_read() {
    let run = read_native(
        json!({"steps": [{"user": "Hi"}, {"call": "a", "id": "1", "result": "x"}, {"say": "Done."}]}),
    );
    let mut trajectory: Json =
        json::from_str(&to_atif(&run.expect("a run")).expect("ATIF").text).expect("JSON");
    let copied = json!({"schema_version": "ATIF-v1.8", "trajectory_id": "t", "agent": {"name": "helper", "version": "1"},
        "steps": [{"step_id": 1, "source": "agent", "message": "",
                   "tool_calls": [{"tool_call_id": "z", "function_name": "refund", "arguments": {}}]}]});
    trajectory.as_object_mut().expect("an object").insert("subagent_trajectories", json!([copied]));
    let again = read(&trajectory.to_string(), None).expect("a trace").runs.remove(0);
    assert_eq!(again.tool_names(), ["a", "refund"]);
}

#[test]
fn a_run_without_texts_and_calls_is_refused() {
    let error = to_atif(&Trace::default()).expect_err("nothing is there").to_string();
    assert_eq!(error, "the run has no text and no call, and ATIF wants at least one step");
}

/// In openai-chat nothing stands beside a call: what is read back has the same calls and texts, and the rest is a loss.
#[test]
fn every_sample_keeps_its_calls_and_texts_in_openai_chat() {
    let mut wrong = Vec::new();
    for (name, run) in runs() {
        let Ok(written) = to_openai_chat(&run) else { continue };
        let again = match read(&written.text, Some("openai-chat")) {
            Ok(mut recording) => recording.runs.remove(0),
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let lost = |key: &str| written.losses.iter().any(|loss| loss.key == key);
        let names = |run: &Trace| run.calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
        let arguments = |run: &Trace| run.calls.iter().map(|call| call.arguments.clone()).collect::<Vec<_>>();
        let is_same = names(&run) == names(&again) || lost("call");
        let has_arguments = arguments(&run) == arguments(&again)
            || lost("args")
            || lost("args_unrecorded")
            || lost("args_error");
        let has_answer =
            run.answer == again.answer || lost("answer") || lost("no_answer") || lost("reasoning");
        if !(is_same && has_arguments && has_answer) {
            wrong.push(format!(
                "{name}: {is_same} {has_arguments} {has_answer}\n{}",
                list_differences(&run, &[again])
            ));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
