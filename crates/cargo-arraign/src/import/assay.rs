//! Assay: `eval.yaml` with `metric:` tests, as in its documentation, or with `expected: {type: ...}`, as its program
//! reads them.

use arraign::__internals::pattern::{Flags, JsRegex};
use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use arraign::json::{self, Json, JsonMap, json};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft, build_check, find_case_error};
use super::keys::{Keys, list_entries, read_scalar};
use super::pattern;
use super::unsupported::UnsupportedList;

/// The metrics with a check of the same name, and their settings.
const METRICS: &[(&str, &[&str])] = &[
    ("args_valid", &["policy", "schema"]),
    ("sequence_valid", &["policy", "sequence", "rules"]),
    ("tool_blocklist", &["blocked"]),
    ("tool_output_valid", &["schemas"]),
    ("tool_collision_detect", &["trusted_servers"]),
];

const OF_A_SUITE: &[(&[&str], &str)] = &[
    (&["model"], "the trace records the model"),
    (
        &["settings"],
        "the test runner controls the run: see `cargo test -- --help`, and `timeout` and `repeat` of a case",
    ),
    (&["thresholds", "otel"], "arraign has no counterpart"),
];

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["on_error"], "a case with an error never passes"),
    (&["metadata"], "a case has no labels other than `tags` and `description`"),
];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "assay");
    for document in input.parse_documents()? {
        let root = document.root();
        let Some(mut suite) = Keys::new(root).filter(|_| root.get("tests").is_some()) else {
            return Err(root.error("expected an Assay suite with `tests`").into());
        };
        for (key, names) in [("version", &["version", "configVersion"][..]), ("suite", &["suite"])] {
            if let Some(text) = suite.take_text(names) {
                draft.set_suite_key(key, text);
            }
        }
        if let Some(output) = suite.take(&["output"]) {
            draft.set_suite_key("output", output.to_json());
        }
        for node in list_entries(suite.take(&["tests"])) {
            import_test(node, &mut draft);
        }
        // Last, because every key that was taken above is not left.
        suite.reject_rest(OF_A_SUITE, &mut draft.unsupported);
    }
    Ok(draft.finish())
}

fn import_test(node: Node<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else {
        return draft.unsupported.add_key(node, "tests", "expected a mapping");
    };
    let id = keys.take_text(&["id"]).unwrap_or_default();
    let id = draft.ids.claim_id(&id);
    let mut case = CaseDraft::new(&id);
    case.set("description", keys.take_text(&["description"]));
    case.set("input", keys.take(&["input"]).and_then(|node| read_input(node, &mut draft.unsupported)));
    case.set("tags", keys.take(&["tags"]).map(Node::to_json));
    if keys.node().get("metric").is_some() {
        return import_documented_test(keys, case, draft);
    }
    let expected = list_entries(keys.take(&["expected"]));
    let assertions = list_entries(keys.take(&["assertions"]));
    let alone = expected.len() == 1 && assertions.is_empty();
    let is_empty = expected.is_empty();
    // A single metric gives the short form of a case, `metric: NAME` with its settings; several become `expect`.
    for node in expected {
        match convert_expectation(node, draft) {
            Expectation::Metric(metric, settings) if alone => {
                case.set("metric", Some(metric));
                settings.into_iter().for_each(|(key, value)| case.set(&key, Some(value)));
            }
            Expectation::Metric(metric, settings) => case.add_checks(vec![build_check(metric, settings)]),
            Expectation::Checks(checks) => case.add_checks(checks),
        }
    }
    let (own, about_run): (Vec<_>, Vec<_>) =
        assertions.into_iter().partition(|node| OWN_CALLS.iter().any(|key| node.get(key).is_some()));
    // A test of nothing but a policy gives its id to the first of its assertions.
    let mut own_id = (is_empty && about_run.is_empty() && !own.is_empty()).then(|| id.clone());
    for node in about_run {
        case.add_checks(convert_assertion(node, &mut draft.unsupported));
    }
    keys.reject_rest(OF_A_TEST, &mut draft.unsupported);
    let case = case.finish();
    let labels: Vec<(String, Json)> = ["description", "tags"]
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), case.get(key)?.clone())))
        .collect();
    if own_id.is_none() {
        draft.add_case(node.place(), case);
    }
    for node in own {
        let id = own_id.take().unwrap_or_else(|| draft.ids.claim_id(&id));
        match convert_own_calls(node, &id, &mut draft.unsupported) {
            Ok(mut case) => {
                case.extend(labels.iter().cloned());
                match find_case_error(&Json::Object(case.clone())) {
                    None => draft.add_case(node.place(), case),
                    Some(problem) => {
                        let why = format!("left out, because it would not load: {problem}");
                        draft.unsupported.add_key(node, "assertions", why);
                    }
                }
            }
            Err((what, why)) => draft.unsupported.add_key(node, &what, why),
        }
    }
}

/// The keys of an assertion that holds a policy against calls of its own.
const OWN_CALLS: &[&str] = &["test_args", "test_trace", "test_trace_raw", "test_tool_calls"];

/// Converts an assertion that holds a policy against calls of its own: to a case with these calls as its run. The error is the
/// name of the assertion, and why it is not carried.
fn convert_own_calls(
    node: Node<'_>,
    id: &str,
    unsupported: &mut UnsupportedList,
) -> Result<JsonMap, (String, &'static str)> {
    let Some(mut keys) = Keys::new(node) else { return Err(("assertions".to_owned(), "expected a mapping")) };
    let kind = keys.take_text(&["type"]).unwrap_or_default();
    let fail = |why| Err((format!("assertions: {kind}"), why));
    let Some(policy) = keys.take(&["policy"]).map(Node::to_json) else {
        return fail("the assertion has no `policy`, so Assay refuses it");
    };
    let mut case =
        JsonMap::from_iter([("id".to_owned(), id.into()), ("metric".to_owned(), kind.as_str().into())]);
    let calls = match kind.as_str() {
        "args_valid" => {
            let Some(tool) = keys.take_text(&["tool"]) else { return fail("missing `tool`") };
            let schema = policy.get("schema").unwrap_or(&policy).clone();
            case.insert("schema".to_owned(), JsonMap::from_iter([(tool.clone(), schema)]).into());
            let Some(arguments) = keys.take(&["test_args"]) else { return fail("missing `test_args`") };
            let arguments = arguments.to_json();
            json!([{"name": tool, "arguments": arguments}])
        }
        "tool_blocklist" => {
            let Some(blocked) = policy.get("blocked") else { return fail("missing `blocked`") };
            case.insert("blocked".to_owned(), blocked.clone());
            let Some(calls) = keys.take(&["test_tool_calls"]) else {
                return fail("missing `test_tool_calls`");
            };
            calls.to_json()
        }
        "sequence_valid" => {
            return fail("a pattern over the names of all calls has no counterpart: write rules");
        }
        _ => return fail("arraign has no such assertion"),
    };
    match keys.take_text(&["expect"]).as_deref() {
        None | Some("pass") => {}
        Some("fail") => {
            case.insert("expect_verdict".to_owned(), "fail".into());
        }
        Some(_) => return fail("`expect` is `pass` or `fail`"),
    }
    case.insert("trace".to_owned(), json!({"calls": calls}));
    keys.reject_rest(&[], unsupported);
    Ok(case)
}

/// Imports a test as in the documentation, which already has the form of a case: the settings are beside `metric`.
fn import_documented_test(mut keys: Keys<'_>, mut case: CaseDraft, draft: &mut SuiteDraft) {
    let place = keys.node().place();
    for key in ["on_error", "metadata"] {
        if let Some(node) = keys.take(&[key]) {
            let why = OF_A_TEST.iter().find(|(names, _)| names.contains(&key)).map_or("", |(_, why)| why);
            draft.unsupported.add_key(node, key, why);
        }
    }
    // A policy is a file, which the import copies. Every other key has the same form in a case.
    for (key, node) in keys.into_rest() {
        let value = if key == "policy" { draft.add_named_file(node, "policies") } else { node.to_json() };
        case.set(key, Some(value));
    }
    draft.add_case(place, case.finish());
}

/// Reads a text, or `{prompt, context}`.
fn read_input(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<String> {
    let Some(mut keys) = Keys::new(node) else { return read_scalar(node) };
    let prompt = keys.take_text(&["prompt"]);
    keys.reject_rest(&[(&["context"], "the trace records what the agent received")], unsupported);
    prompt
}

/// A converted `expected` entry.
enum Expectation {
    /// A metric with its settings.
    Metric(&'static str, JsonMap),
    /// Entries of `expect`.
    Checks(Vec<Json>),
}

fn convert_expectation(node: Node<'_>, draft: &mut SuiteDraft) -> Expectation {
    let Some(mut keys) = Keys::new(node) else {
        draft.unsupported.add_key(node, "expected", "expected a mapping");
        return Expectation::Checks(Vec::new());
    };
    let name =
        keys.take_text(&["type"]).or_else(|| guess_metric(node).map(str::to_owned)).unwrap_or_default();
    let found = match METRICS.iter().find(|(metric, _)| *metric == name) {
        Some((metric, names)) => Ok(Expectation::Metric(metric, take_settings(&mut keys, names, draft))),
        None if name == "json_schema" && node.get("schema_file").is_some() => {
            Ok(Expectation::Checks(read_schema_file(&mut keys, draft)))
        }
        None => convert_answer(&name, &mut keys).map(Expectation::Checks),
    };
    match found {
        Ok(found) => {
            let classes = [r"\d", r"\w", r"\s", r"\b"];
            let source = node.get("pattern").and_then(Node::as_str).unwrap_or_default();
            // Assay's patterns are of Rust, where these classes are of Unicode.
            if classes.iter().any(|class| source.contains(class)) {
                draft.unsupported.add_key(node, &name, ASCII_CLASSES);
            }
            keys.reject_rest(&[], &mut draft.unsupported);
            found
        }
        Err(why) => {
            draft.unsupported.add_key(node, &format!("expected: {name}"), why);
            Expectation::Checks(Vec::new())
        }
    }
}

/// The remark on a pattern that matches other texts here.
const ASCII_CLASSES: &str = r"carried as a JavaScript pattern: `\d`, `\w`, `\s` and `\b` know no letters and digits but those of ASCII, unlike in Assay";

/// Reads `schema_file`, which takes precedence over `json_schema`. An empty schema beside it is not reported.
fn read_schema_file(keys: &mut Keys<'_>, draft: &mut SuiteDraft) -> Vec<Json> {
    let Some(file) = keys.take(&["schema_file"]) else { return Vec::new() };
    if keys.node().get("json_schema").and_then(read_scalar).is_none_or(|schema| schema.trim() == "{}") {
        keys.skip(&["json_schema"]);
    }
    let schema = draft.add_named_file(file, "schemas");
    vec![build_check("json_schema", json!({"schema": schema}))]
}

fn take_settings(keys: &mut Keys<'_>, names: &[&str], draft: &mut SuiteDraft) -> JsonMap {
    let mut settings = JsonMap::new();
    for key in names {
        let Some(node) = keys.take(&[key]) else { continue };
        let value = if *key == "policy" { draft.add_named_file(node, "policies") } else { node.to_json() };
        settings.insert((*key).to_owned(), value);
    }
    settings
}

/// Returns the metric of an entry without `type`, which its keys identify.
fn guess_metric(node: Node<'_>) -> Option<&'static str> {
    let shapes = [("must_contain", "must_contain"), ("sequence", "sequence_valid"), ("schema", "args_valid")];
    shapes.iter().find(|(key, _)| node.get(key).is_some()).map(|(_, name)| *name)
}

/// Converts an expectation about the answer to entries of `expect`.
fn convert_answer(name: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, &'static str> {
    match name {
        "must_contain" => convert_texts("contains", keys.take(&[name])),
        "must_not_contain" => convert_texts("not_contains", keys.take(&[name])),
        "regex_match" => convert_pattern("regex", keys),
        "regex_not_match" => convert_pattern("not_regex", keys),
        "json_schema" => {
            let schema = keys.take_text(&["json_schema"]).unwrap_or_default();
            match json::parse(&schema) {
                Ok(schema) if schema == json!({}) => Err("the schema has no constraints"),
                Ok(schema) => Ok(vec![build_check("json_schema", json!({"schema": schema}))]),
                Err(_) => Err("the schema is not JSON: write `expect: [json_schema: {schema: FILE}]`"),
            }
        }
        "semantic_similarity_to" => {
            Err("arraign does not measure similarity of meaning: ask a judge (`agent_check`)")
        }
        "judge_criteria" | "faithfulness" | "relevance" => {
            Err("write the question to the judge as an `agent_check`")
        }
        "tool_description_integrity" => Err("traces do not contain the descriptions of tools"),
        "" => Err("missing `type`"),
        _ => Err("arraign has no such check"),
    }
}

fn convert_texts(check: &str, node: Option<Node<'_>>) -> Result<Vec<Json>, &'static str> {
    let texts = list_entries(node).into_iter().filter_map(read_scalar);
    let checks: Vec<Json> =
        texts.map(|text| build_check(check, json!({"value": text, "case_sensitive": true}))).collect();
    if checks.is_empty() { Err("the list of texts is empty") } else { Ok(checks) }
}

fn convert_pattern(check: &str, keys: &mut Keys<'_>) -> Result<Vec<Json>, &'static str> {
    let flags: String = list_entries(keys.take(&["flags"])).into_iter().filter_map(read_scalar).collect();
    let pattern = keys.take_text(&["pattern"]).ok_or("missing `pattern`")?;
    let parsed = Flags::parse_flags("").ok().and_then(|none| JsRegex::parse_user(&pattern, none).ok());
    // Such a construct is no error in JavaScript, but means something else: a check with it would never fail.
    if parsed.is_some_and(|parsed| !parsed.find_foreign_constructs().is_empty()) {
        return Err(
            "the pattern has a construct that JavaScript does not know, such as `\\p{L}` or `[[:digit:]]`: write it as a JavaScript pattern",
        );
    }
    Ok(vec![build_check(check, pattern::build_settings(&pattern, &flags))])
}

/// Converts an assertion about the trace.
fn convert_assertion(node: Node<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let Some(mut keys) = Keys::new(node) else { return Vec::new() };
    let kind = keys.take_text(&["type"]).unwrap_or_default();
    let tool = keys.take(&["tool"]).map(Node::to_json).unwrap_or_default();
    let checks = match kind.as_str() {
        "trace_must_call_tool" => {
            let least = keys.take(&["min_calls"]).map_or(json!(1), Node::to_json);
            vec![build_rule(&json!({"type": "count", "tool": tool, "min": least}))]
        }
        "trace_must_not_call_tool" => vec![build_check("forbidden_tools", json!([tool]))],
        "trace_tool_sequence" => {
            let sequence = keys.take(&["sequence"]).map(Node::to_json).unwrap_or_default();
            let others = keys.take(&["allow_other_tools"]).map(Node::to_json) == Some(Json::Bool(true));
            // A sequence without other tools is the whole list of calls.
            let settings = if others { sequence } else { json!({"allow": [sequence]}) };
            vec![build_check("tool_sequence", settings)]
        }
        "trace_max_steps" => {
            let most = keys.take(&["max"]).map(Node::to_json).unwrap_or_default();
            unsupported.add_key(node, &kind, "arraign counts each tool call as one step");
            vec![build_rule(&json!({"type": "count", "tool": "*", "max": most}))]
        }
        _ => {
            unsupported.add_key(node, &format!("assertions: {kind}"), "arraign has no such assertion");
            return Vec::new();
        }
    };
    keys.reject_rest(&[], unsupported);
    checks
}

fn build_rule(rule: &Json) -> Json {
    build_check("sequence_valid", json!({"rules": [rule]}))
}
