//! The recorded output of a test: a text, or a value with tool calls in the form of a provider.

use arraign::json::{self, Json};
use arraign::trace::{Arguments, Call, CallsUnrecorded, Role, Trace};

use super::template::render_number;

/// The output of a provider.
#[derive(Debug, Clone)]
pub(super) struct RecordedOutput {
    /// The text that assertions look at: the output itself, or its JSON.
    pub(super) text: String,
    /// The output, if it is not a text.
    pub(super) value: Option<Json>,
}

impl RecordedOutput {
    pub(super) fn new(mut value: Json) -> Self {
        shorten_numbers(&mut value);
        match value {
            Json::String(text) => Self { text: text.into_string(), value: None },
            value => Self { text: value.to_string(), value: Some(value) },
        }
    }

    /// Builds the trace. `calls_matter` says that an assertion reads the tool calls of the output, so that an output without
    /// calls is a run without calls.
    pub(super) fn build_trace(&self, input: Option<&str>, calls_matter: bool) -> Trace {
        let mut trace = Trace::default();
        if let Some(input) = input {
            trace.push_message(Role::User, input);
        }
        let calls: Vec<Call> = self.parse_values().iter().flat_map(list_calls).collect();
        if calls.is_empty() && !calls_matter {
            trace.calls_unrecorded = Some(CallsUnrecorded::ByFormat);
        }
        for call in calls {
            trace.push_call(call);
        }
        trace.push_message(Role::Assistant, &self.text);
        trace.settle_answer();
        trace
    }

    /// Returns the values in which calls are looked for: the output, or in a text each line that is JSON.
    fn parse_values(&self) -> Vec<Json> {
        let whole = self.value.clone().or_else(|| json::parse_lenient(&self.text).ok());
        whole.map_or_else(
            || {
                let lines = self.text.lines().map(str::trim).filter(|line| line.starts_with(['{', '[']));
                lines.filter_map(|line| json::parse_lenient(line).ok()).collect()
            },
            |whole| vec![whole],
        )
    }
}

/// Writes whole numbers without a fraction, as JavaScript does: `{"a": 1.0}` is `{"a":1}`.
fn shorten_numbers(value: &mut Json) {
    match value {
        Json::Number(number) if number.is_f64() => {
            if let Ok(short) = json::from_str(&render_number(number)) {
                *value = short;
            }
        }
        Json::Array(list) => list.iter_mut().for_each(shorten_numbers),
        Json::Object(entries) => entries.values_mut().for_each(shorten_numbers),
        _ => {}
    }
}

/// Lists the tool calls of an output, in the forms of OpenAI (also Responses), Anthropic and Google.
fn list_calls(output: &Json) -> Vec<Call> {
    let listed = match output {
        Json::Array(list) => Some(list.as_slice()),
        other => other
            .get("tool_calls")
            .or_else(|| other.pointer("/toolCall/functionCalls"))
            .and_then(Json::as_array)
            .map(<[Json]>::as_ref),
    };
    match listed {
        Some(list) => list.iter().filter_map(read_call).collect(),
        None if is_call_block(output) => read_call(output).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Whether a single value is a call, and not an object with a name.
fn is_call_block(value: &Json) -> bool {
    let kind = value.get("type").and_then(Json::as_str);
    matches!(kind, Some("tool_use" | "function_call")) || value.get("functionCall").is_some()
}

fn read_call(value: &Json) -> Option<Call> {
    let inner = ["function", "functionCall"]
        .into_iter()
        .find_map(|key| value.get(key).filter(|inner| inner.is_object()));
    let named = inner.unwrap_or(value);
    let name = named.get("name")?.as_str()?;
    let arguments = ["arguments", "args", "input"].into_iter().find_map(|key| named.get(key));
    let arguments = match arguments {
        Some(Json::String(text)) => match json::parse_lenient(text) {
            Ok(json) => Arguments::Json(json),
            Err(error) => Arguments::Broken { raw: text.to_string(), error: error.to_string() },
        },
        Some(json) => Arguments::Json(json.clone()),
        None => Arguments::none(),
    };
    let id = value.get("id").and_then(Json::as_str).map(str::to_owned);
    Some(Call { id, ..Call::new(name, arguments, 1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::json::json;

    fn names(output: Json) -> Vec<String> {
        let trace = RecordedOutput::new(output).build_trace(None, true);
        trace.calls.into_iter().map(|call| call.name).collect()
    }

    #[test]
    fn calls_of_each_provider_are_read() {
        let openai =
            json!({"id": "c0", "type": "function", "function": {"name": "a", "arguments": "{\"x\": 0}"}});
        assert_eq!(names(json!([openai])), ["a"]);
        assert_eq!(names(json!({"tool_calls": [openai, {"name": "b"}]})), ["a", "b"]);
        assert_eq!(names(json!({"type": "tool_use", "name": "c", "input": {}})), ["c"]);
        assert_eq!(
            names(json!([{"type": "text", "text": "x"}, {"functionCall": {"name": "d", "args": {}}}])),
            ["d"]
        );
        assert_eq!(names(json!({"name": "Ada"})), [""; 0]);
        assert_eq!(names(json!("text")), [""; 0]);
        assert_eq!(names(json!("I look.\n\n{\"type\": \"tool_use\", \"name\": \"e\"}")), ["e"]);
        assert_eq!(RecordedOutput::new(json!({"a": [1.0, 2.5]})).text, r#"{"a":[1,2.5]}"#);
    }
}
