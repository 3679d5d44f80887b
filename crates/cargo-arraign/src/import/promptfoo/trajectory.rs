//! Assertions on the tools that are called.

use serde_json::{Map, Value, json};

use super::assertion::Assertion;
use crate::import::draft::named;
use crate::import::pattern;

type Carried = Result<Vec<Value>, &'static str>;

const NO_OPPOSITE: &str = "its opposite cannot be asked for here";

pub(super) fn carried(assertion: &Assertion) -> Carried {
    match assertion.kind.as_str() {
        "trajectory:tool-used" => tool_used(assertion),
        _ if assertion.not => Err(NO_OPPOSITE),
        "trajectory:tool-sequence" => tool_sequence(&assertion.value),
        "trajectory:tool-args-match" => arguments(&assertion.value),
        "trajectory:step-count" => step_count(&assertion.value),
        "trajectory:goal-success" => goal(&assertion.value),
        "tool-call-f1" => all_and_no_other(assertion),
        _ => Err("there is no such check here"),
    }
}

fn rule(rule: &Value) -> Value {
    named("sequence_valid", json!({"rules": [rule]}))
}

/// The name or the pattern of a step; only the calls of tools are looked at.
fn tool(step: &Value) -> Result<&str, &'static str> {
    if let Some(text) = step.as_str() {
        return Ok(text);
    }
    let of_tools = |kind: &Value| kind == "tool" || kind.as_array().is_some_and(|kinds| kinds == &["tool"]);
    if step.get("type").is_some_and(|kind| !of_tools(kind)) {
        return Err("it looks at other steps than calls of tools");
    }
    let name = step.get("pattern").or_else(|| step.get("name"));
    name.and_then(Value::as_str).ok_or("it names no tool")
}

fn tool_used(assertion: &Assertion) -> Carried {
    if let Value::Object(_) = &assertion.value {
        let name = tool(&assertion.value)?;
        let least = assertion.value.get("min").cloned().unwrap_or(json!(1));
        let mut count =
            Map::from_iter([("type".to_owned(), "count".into()), ("tool".to_owned(), name.into())]);
        count.insert("min".to_owned(), least);
        count.extend(assertion.value.get("max").map(|most| ("max".to_owned(), most.clone())));
        let bounded = count.contains_key("max") || count["min"] != json!(1);
        return match (assertion.not, bounded) {
            (false, _) => Ok(vec![rule(&count.into())]),
            (true, false) => Ok(vec![blocked(&[name])]),
            (true, true) => Err(NO_OPPOSITE),
        };
    }
    let names = match &assertion.value {
        Value::Array(list) => list.iter().map(tool).collect::<Result<Vec<_>, _>>()?,
        one => vec![tool(one)?],
    };
    if names.is_empty() {
        return Err("it lists no tool");
    }
    if assertion.not {
        return Ok(vec![blocked(&names)]);
    }
    if names.iter().any(|name| is_pattern(name)) {
        return Ok(names.iter().map(|name| rule(&json!({"type": "require", "tool": name}))).collect());
    }
    Ok(vec![named("required_tools", json!(names))])
}

/// Names are the same in any letter case where these come from.
fn blocked(names: &[&str]) -> Value {
    named("tool_blocklist", json!({"blocklist": names, "case_sensitive": false}))
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

fn tool_sequence(value: &Value) -> Carried {
    let steps = value.get("steps").unwrap_or(value).as_array().ok_or("it lists no steps")?;
    let names = steps.iter().map(tool).collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Err("it lists no steps");
    }
    if names.iter().any(|name| is_pattern(name)) {
        return Err("a sequence names its tools exactly here, without patterns");
    }
    let exact = value.get("mode").and_then(Value::as_str) == Some("exact");
    Ok(vec![named("tool_sequence", if exact { json!({"allow": [names]}) } else { json!(names) })])
}

/// One call of the tool has these arguments: all of them alone (`exact`), or among others.
fn arguments(value: &Value) -> Carried {
    let name = tool(value)?;
    let wanted = value.get("args").or_else(|| value.get("arguments")).ok_or("it names no arguments")?;
    if value.get("ignore").is_some() || value.get("defaults").is_some() {
        return Err("arguments that may differ cannot be listed: name those that matter");
    }
    if value.get("mode").and_then(Value::as_str) == Some("exact") {
        return if is_pattern(name) { Err(NO_PATTERN) } else { Ok(vec![input(name, "$", wanted)]) };
    }
    let wanted = wanted.as_object().ok_or("its arguments are no mapping")?;
    match wanted.iter().collect::<Vec<_>>().as_slice() {
        [] => Ok(vec![rule(&json!({"type": "require", "tool": name}))]),
        [(key, value)] if !is_nested(value) && !is_pattern(name) => {
            Ok(vec![input(name, &format!("$[{}]", Value::from(key.as_str())), value)])
        }
        all if all.iter().any(|(_, value)| is_nested(value)) => {
            Err("a part of a nested argument cannot be asked for: write a `tool_input` for each")
        }
        all => {
            let matches: Map<String, Value> = all
                .iter()
                .map(|(key, value)| ((*key).clone(), pattern::whole(&plain(value)).into()))
                .collect();
            Ok(vec![rule(&json!({"type": "require", "tool": {"tool": name, "args_match": matches}}))])
        }
    }
}

const NO_PATTERN: &str = "a tool is named exactly here, without patterns";

fn input(tool: &str, path: &str, equals: &Value) -> Value {
    named("tool_input", json!({"tool": tool, "type": "jsonpath", "path": path, "equals": equals}))
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

/// A text as it is, anything else as JSON: what a pattern over an argument sees.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn step_count(value: &Value) -> Carried {
    if value.get("type").is_none() {
        return Err("it counts other steps than calls of tools");
    }
    let name = tool(value).or_else(|why| if why == "it names no tool" { Ok("*") } else { Err(why) })?;
    let mut count = Map::from_iter([("type".to_owned(), "count".into()), ("tool".to_owned(), name.into())]);
    for bound in ["min", "max"] {
        count.extend(value.get(bound).map(|number| (bound.to_owned(), number.clone())));
    }
    Ok(vec![rule(&count.into())])
}

fn goal(value: &Value) -> Carried {
    let goal =
        value.as_str().or_else(|| value.get("goal").and_then(Value::as_str)).ok_or("it names no goal")?;
    let context = json!({"include_prompt": true, "include_tool_sequence": true, "include_tool_inputs": true});
    let prompt = format!("Did the agent reach this goal? {}", goal.trim());
    Ok(vec![named("agent_check", json!({"label": "goal-success", "prompt": prompt, "context": context}))])
}

/// A score of 1 asks for all of the tools, and for no other.
fn all_and_no_other(assertion: &Assertion) -> Carried {
    if assertion.threshold.is_some_and(|least| least < 1.0) {
        return Err("a part of the tools cannot be asked for: `expected.tools` has a score");
    }
    let names = assertion.texts();
    if names.is_empty() {
        return Err("it lists no tool");
    }
    Ok(vec![named("required_tools", json!(names)), rule(&json!({"type": "allowlist", "tools": names}))])
}
