//! One content of Gemini's: its parts, in the spelling of the API or of Python.

use crate::json::{JsonNode, JsonObject, json};
use crate::reader::Certainty;
use crate::reader::build::outcome_words::names_failure;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, is_set};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::trace::{Arguments, Call, Role};

/// Returns how certain a content makes the format. Other formats have messages with `parts` as well.
pub(crate) fn judge(content: &JsonNode) -> Option<Certainty> {
    let role = content.get("role").and_then(JsonNode::as_str);
    if !matches!(role, None | Some("user" | "model" | "function" | "system")) {
        return None;
    }
    let parts = content.get("parts")?.as_array()?;
    if parts.iter().any(|part| !part.is_object() || FOREIGN.iter().any(|key| part.has_key(key))) {
        return None;
    }
    // Of the formats with `parts`, only this one calls the agent `model`.
    let sure = role == Some("model")
        || parts.iter().any(|part| CALL.iter().chain(&RESPONSE).any(|key| part.has_key(key)));
    Some(if sure { Certainty::Sure } else { Certainty::Likely })
}

/// Keys of parts in other formats.
const FOREIGN: [&str; 3] = ["type", "kind", "part_kind"];

/// Keys of parts that contain no call: media, and notes on the part.
const WITHOUT_CALLS: [&str; 10] = [
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "videoMetadata",
    "video_metadata",
    "partMetadata",
    "part_metadata",
    "mediaResolution",
    "media_resolution",
];

const CALL: [&str; 2] = ["functionCall", "function_call"];
const RESPONSE: [&str; 2] = ["functionResponse", "function_response"];

/// A conversation while its contents are read.
#[derive(Debug, Default)]
pub(crate) struct ContentWalk {
    pub(crate) builder: TraceBuilder,
}

impl ContentWalk {
    /// The instructions: a content, or a text.
    pub(crate) fn system(&mut self, instruction: Option<JsonNode>) {
        let text = match instruction {
            Some(JsonNode::String(text)) => text.into_owned(),
            Some(JsonNode::Object(mut content)) => text_of(&mut content).into(),
            _ => return,
        };
        self.builder.say(Role::System, &text);
    }

    /// Adds a content, which the next one ends; its calls are those of the agents of `path`.
    pub(crate) fn content(
        &mut self,
        spot: impl Into<RecordSpot>,
        content: JsonNode,
        path: &[String],
    ) -> Result<(), DecodeError> {
        let evidence = self.builder.open_record(spot, &content);
        let mut content = JsonObject::of(content, "a content")?;
        let role = match content.text(&["role"])?.as_deref() {
            Some("model") => Some(Role::Assistant),
            Some("system") => Some(Role::System),
            Some("function") => None,
            _ => Some(Role::User),
        };
        self.builder.begin(role);
        self.parts(content, path)?;
        self.builder.close_record(evidence);
        Ok(())
    }

    /// Adds a piece of the content that is coming in.
    pub(crate) fn more(&mut self, spot: RecordSpot, content: JsonNode) -> Result<(), DecodeError> {
        let evidence = self.builder.open_record(spot, &content);
        self.parts(JsonObject::of(content, "a content")?, &[])?;
        self.builder.close_record(evidence);
        Ok(())
    }

    fn parts(&mut self, mut content: JsonObject, path: &[String]) -> Result<(), DecodeError> {
        let mut index = 0;
        content.each(&["parts"], "a part", |part| {
            self.builder.enter_part("parts", index);
            index += 1;
            self.part(part, path)
        })
    }

    fn part(&mut self, mut part: JsonObject, path: &[String]) -> Result<(), DecodeError> {
        // A thought has text as well, which is not part of the answer.
        if part.get("thought").is_some_and(JsonNode::is_true) {
            return Ok(());
        }
        if let Some(text) = part.text(&["text"])? {
            self.builder.text(&text);
            // Most parts are a text and nothing else.
            if part.len() == 1 {
                return Ok(());
            }
        }
        part.within(&CALL, |call| self.call(call, path))?;
        part.within(&RESPONSE, |response| self.answer(response))?;
        if let Some(mut code) = part.object(&["executableCode", "executable_code"])? {
            let [language, code] =
                ["language", "code"].map(|name| code.take(&[name]).map(JsonNode::into_json));
            let arguments = json!({"language": language, "code": code});
            let call = Call::new("code_execution", Arguments::Json(arguments), 0);
            self.builder.call(Call { agent_path: path.to_vec(), ..call });
        }
        // A result of code has no id: it belongs to the code that waits.
        if let Some(mut result) = part.object(&["codeExecutionResult", "code_execution_result"])?
            && let Some(call) = self.builder.waiting(None, Some("code_execution"))
        {
            OutcomeMarks::of(&result).settle(call, Unmarked::Worked);
            call.result = result.take(&["output"]).map(JsonNode::into_json);
        }
        self.pass_over_rest(&part);
        Ok(())
    }

    /// Passes over what is left of a part: the key of an object says what kind of part it is.
    fn pass_over_rest(&mut self, part: &JsonObject) {
        for (key, value) in part.iter() {
            if value.is_object() {
                self.builder.pass_over(key, &WITHOUT_CALLS);
            }
        }
    }

    fn call(&mut self, mut call: JsonObject, path: &[String]) -> Result<(), DecodeError> {
        let name = call.required(&["name"])?;
        let id = call.string(&["id"])?.filter(|id| !id.is_empty());
        let arguments = call.arguments("args");
        self.builder.call(Call { id, agent_path: path.to_vec(), ..Call::new(name, arguments, 0) });
        Ok(())
    }

    /// A response keeps an error under `error`, by the API's convention.
    fn answer(&mut self, mut answer: JsonObject) -> Result<(), DecodeError> {
        let id = answer.text(&["id"])?;
        let name = answer.text(&["name"])?;
        // Ids are left out by some clients: then the name of the function finds the call.
        let known = id.as_deref().filter(|id| self.builder.knows(id));
        let mut marks = OutcomeMarks::of(&answer);
        let response = answer.take(&["response"]).unwrap_or_default();
        if let Some(response) = response.as_object() {
            read_response_marks(&mut marks, response);
        }
        // The shell of Gemini CLI writes its exit code into its output.
        if name.as_deref() == Some("run_shell_command") {
            marks.note_exit_code(response.text_under("output").and_then(read_exit_code));
        }
        let Some(call) = self.builder.waiting(known, name.as_deref()) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        let error = response.get("error").filter(|error| is_set(error)).cloned();
        marks.settle(call, Unmarked::Worked);
        call.exit_code = marks.exit_code();
        call.error = error.map(|error| error.into_text_or_json().into_owned());
        call.result = Some(response.into_json());
        Ok(())
    }
}

/// Reads the mark in the response of a function, which is data of the tool but for its key `error`.
pub(crate) fn read_response_marks(marks: &mut OutcomeMarks, response: &JsonObject) {
    marks.note_failure(response.get("error").is_some_and(is_set));
    // A response that has an error by another name and nothing else is not that of a tool that worked.
    let mut entries = response.iter().filter(|(_, value)| !value.is_null());
    if let (Some((key, value)), None) = (entries.next(), entries.next())
        && names_failure(key)
        && is_set(value)
        && !matches!(value, JsonNode::Number(_))
    {
        marks.note_unclear(format!("`response` has only `{key}`"));
    }
}

fn text_of(content: &mut JsonObject) -> String {
    let parts = content.list(&["parts"]).unwrap_or_default();
    parts.into_iter().filter_map(|mut part| part.as_object_mut()?.take(&["text"])?.into_text()).collect()
}

/// Reads the exit code of a shell's call, whose output ends with a line such as `Exit Code: 2`.
pub(crate) fn read_exit_code(output: &str) -> Option<i64> {
    output.lines().rev().take(8).find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok())
}
