//! Converts assertions on tool calls.

use arraign::__internals::yaml::render_plain;
use arraign::json::{Json, JsonMap, json};

use super::assertion::Assertion;
use crate::import::draft::build_check;
use crate::import::pattern;
use crate::import::question::build_run_question;

type ConvertedChecks = Result<Vec<Json>, &'static str>;

const NO_OPPOSITE: &str = "arraign has no check for the opposite";

pub(super) fn build_checks(assertion: &Assertion) -> ConvertedChecks {
    match assertion.kind.as_str() {
        "trajectory:tool-used" => check_tool_used(assertion),
        _ if assertion.not => build_opposite(assertion),
        "trajectory:tool-sequence" => check_sequence(&assertion.value),
        "trajectory:tool-args-match" => check_arguments(&assertion.value),
        "trajectory:step-count" => check_step_count(&assertion.value),
        "trajectory:goal-success" => ask_goal(&assertion.value),
        "tool-call-f1" => require_exact_tools(assertion),
        _ => Err("arraign has no such check"),
    }
}

/// The opposite of an assertion on the trajectory: its checks do not hold together.
fn build_opposite(assertion: &Assertion) -> ConvertedChecks {
    let mut checks = build_checks(&assertion.without_not())?;
    let check = if checks.len() == 1 { checks.remove(0) } else { build_check("all_of", checks) };
    Ok(vec![build_check("none_of", vec![check])])
}

fn build_rule(rule: &Json) -> Json {
    build_check("sequence_valid", json!({"rules": [rule]}))
}

/// Whether a step's type is `tool`, or a list with only `tool`.
fn is_tool_type(kind: &Json) -> bool {
    kind == "tool" || kind.as_array().is_some_and(|kinds| *kinds == ["tool"])
}

/// Returns the name or pattern of a step, which must call a tool.
fn read_tool_name(step: &Json) -> Result<&str, &'static str> {
    if let Some(text) = step.as_str() {
        return Ok(text);
    }
    if step.get("type").is_some_and(|kind| !is_tool_type(kind)) {
        return Err("arraign checks only steps that call tools");
    }
    let name = step.get("pattern").or_else(|| step.get("name"));
    name.and_then(Json::as_str).ok_or("missing name of the tool")
}

fn check_tool_used(assertion: &Assertion) -> ConvertedChecks {
    if let Json::Object(_) = &assertion.value {
        let name = read_tool_name(&assertion.value)?;
        let least = assertion.value.get("min").cloned().unwrap_or(json!(1));
        let mut count =
            JsonMap::from_iter([("type".to_owned(), "count".into()), ("tool".to_owned(), name.into())]);
        count.insert("min".to_owned(), least);
        count.extend(assertion.value.get("max").map(|most| ("max".to_owned(), most.clone())));
        // The opposite of at least one call is no call; a number within bounds has no opposite here.
        let bounded = count.contains_key("max") || count["min"] != json!(1);
        return match (assertion.not, bounded) {
            (false, _) => Ok(vec![build_rule(&count.into())]),
            (true, false) => Ok(vec![build_blocklist(&[name])]),
            (true, true) => Err(NO_OPPOSITE),
        };
    }
    let names = match &assertion.value {
        Json::Array(list) => list.iter().map(read_tool_name).collect::<Result<Vec<_>, _>>()?,
        one => vec![read_tool_name(one)?],
    };
    if names.is_empty() {
        return Err("the list of tools is empty");
    }
    if assertion.not {
        return Ok(vec![build_blocklist(&names)]);
    }
    // `required_tools` compares names literally.
    if names.iter().any(|name| is_pattern(name)) {
        return Ok(names.iter().map(|name| build_rule(&json!({"type": "require", "tool": name}))).collect());
    }
    Ok(vec![build_check("required_tools", json!(names))])
}

/// Builds a blocklist. promptfoo compares names case-insensitively.
fn build_blocklist(names: &[&str]) -> Json {
    build_check("tool_blocklist", json!({"blocklist": names, "case_sensitive": false}))
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

fn check_sequence(value: &Json) -> ConvertedChecks {
    let steps = value.get("steps").unwrap_or(value).as_array().ok_or("expected a list of steps")?;
    let names = steps.iter().map(read_tool_name).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Err("the list of steps is empty");
    }
    if names.iter().any(|name| is_pattern(name)) {
        return Err("the names of tools in a sequence cannot be patterns");
    }
    let exact = value.get("mode").and_then(Json::as_str) == Some("exact");
    Ok(vec![build_check("tool_sequence", if exact { json!({"allow": [names]}) } else { json!(names) })])
}

/// Requires a call of the tool with these arguments: exactly these (`exact`), or these among others.
fn check_arguments(value: &Json) -> ConvertedChecks {
    let name = read_tool_name(value)?;
    let wanted = value.get("args").or_else(|| value.get("arguments")).ok_or("missing `args`")?;
    if value.get("ignore").is_some() || value.get("defaults").is_some() {
        return Err("arraign cannot ignore arguments: list only those that matter");
    }
    if value.get("mode").and_then(Json::as_str) == Some("exact") {
        return if is_pattern(name) {
            Err(NO_PATTERN)
        } else {
            Ok(vec![build_tool_input(name, "$", wanted)])
        };
    }
    let wanted = wanted.as_object().ok_or("expected a mapping of arguments")?;
    // One argument is compared by value. Several must be in the same call, which only patterns over texts can require.
    match wanted.iter().collect::<Vec<_>>().as_slice() {
        [] => Ok(vec![build_rule(&json!({"type": "require", "tool": name}))]),
        [(key, value)] if !is_nested(value) && !is_pattern(name) => {
            Ok(vec![build_tool_input(name, &format!("$[{}]", Json::from(key.as_str())), value)])
        }
        all if all.iter().any(|(_, value)| is_nested(value)) => {
            Err("arraign cannot match a part of a nested argument: write a `tool_input` for each")
        }
        all => {
            let matches: JsonMap = all
                .iter()
                .map(|(key, value)| ((*key).clone(), pattern::match_whole(&render_plain(value)).into()))
                .collect();
            Ok(vec![build_rule(&json!({"type": "require", "tool": {"tool": name, "args_match": matches}}))])
        }
    }
}

const NO_PATTERN: &str = "the name of the tool cannot be a pattern";

fn build_tool_input(tool: &str, path: &str, equals: &Json) -> Json {
    build_check("tool_input", json!({"tool": tool, "type": "jsonpath", "path": path, "equals": equals}))
}

fn is_nested(value: &Json) -> bool {
    matches!(value, Json::Array(_) | Json::Object(_))
}

fn check_step_count(value: &Json) -> ConvertedChecks {
    if value.get("type").is_none() {
        return Err("arraign counts only steps that call tools");
    }
    // Steps without a name are steps of any tool; another mistake in the name stays one.
    let name = read_tool_name(value)
        .or_else(|why| if why == "missing name of the tool" { Ok("*") } else { Err(why) })?;
    let mut count =
        JsonMap::from_iter([("type".to_owned(), "count".into()), ("tool".to_owned(), name.into())]);
    for bound in ["min", "max"] {
        count.extend(value.get(bound).map(|number| (bound.to_owned(), number.clone())));
    }
    Ok(vec![build_rule(&count.into())])
}

fn ask_goal(value: &Json) -> ConvertedChecks {
    let goal = value.as_str().or_else(|| value.get("goal").and_then(Json::as_str)).ok_or("missing `goal`")?;
    let prompt = format!("Did the agent reach this goal? {goal}");
    Ok(vec![build_run_question("goal-success", &prompt)])
}

/// Lists the names of tools, without blanks around them; quotes mean nothing here.
fn list_names(value: &Json) -> Vec<String> {
    let names = match value {
        Json::Array(list) => list.iter().map(render_plain).collect(),
        other => render_plain(other).split(',').map(str::to_owned).collect::<Vec<_>>(),
    };
    let mut kept: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        if !kept.iter().any(|known| known == name) {
            kept.push(name.to_owned());
        }
    }
    kept
}

/// Requires all of the tools and no others, which is the meaning of a score of 1.
fn require_exact_tools(assertion: &Assertion) -> ConvertedChecks {
    match assertion.threshold {
        Some(least) if least <= 0.0 => return Err("a threshold of 0 asks for nothing"),
        Some(least) if least < 1.0 => {
            return Err(
                "arraign cannot require a part of the tools: use `expected.tools`, which has a score",
            );
        }
        Some(least) if least > 1.0 => return Err("no score is above 1"),
        _ => {}
    }
    let names = list_names(&assertion.value);
    if names.is_empty() {
        return Err("the list of tools is empty");
    }
    Ok(vec![
        build_check("required_tools", json!(names)),
        build_rule(&json!({"type": "allowlist", "tools": names})),
    ])
}
