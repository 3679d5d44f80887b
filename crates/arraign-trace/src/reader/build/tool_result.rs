//! Whether a call worked, as the record of its result says it.
//!
//! Writers mark a failure by flags, words, errors and exit codes, in snake case and in camel case, and a later version
//! may rename a mark. So all spellings are read for all formats, and a mark that nobody knows is never a success.

use crate::json::{Json, JsonNode, JsonNumber, JsonObject};

use crate::reader::build::content::all_texts;
use crate::reader::build::outcome_words::{MarkKey, StatusWord, classify_key, classify_word};
use crate::trace::{Call, CallStatus, StatusMark};

/// What a result without any mark means in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unmarked {
    /// The format marks failures, so the call worked.
    Worked,
    /// The format does not record whether a call worked.
    Unrecorded,
}

/// The marks in the record of a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutcomeMarks {
    has_failure: bool,
    has_success: bool,
    /// Whether a word says that the record is complete, which in some formats says nothing about the tool.
    is_complete: bool,
    /// The key of an error with an empty text. An exception without a message has one, and so has the error of some
    /// writers if there was none.
    empty_error: Option<String>,
    /// A mark that is not understood, for a message.
    unclear: Option<String>,
    /// A word for a call that has not ended, for a message.
    pending: Option<String>,
    exit_code: Option<i64>,
}

impl OutcomeMarks {
    /// Reads the marks in a record, null included where a value was taken.
    pub(crate) fn of(record: &JsonObject) -> Self {
        let mut marks = Self::default();
        marks.read(record);
        marks
    }

    /// Reads the marks in a record that was parsed on its own.
    pub(crate) fn of_parsed(record: &Json) -> Self {
        let mut marks = Self::default();
        for (key, value) in record.as_object().into_iter().flatten() {
            if !value.is_null()
                && let Some(kind) = classify_key(key)
            {
                marks.note(kind, key, &value.clone());
            }
        }
        marks
    }

    /// Reads the marks in a further value about the same call, if it is an object.
    pub(crate) fn read_value(&mut self, value: Option<&JsonNode>) {
        if let Some(JsonNode::Object(record)) = value {
            self.read(record);
        }
    }

    /// Reads the marks in a further record about the same call.
    pub(crate) fn read(&mut self, record: &JsonObject) {
        for (key, value) in record.iter() {
            if !value.is_null()
                && let Some(kind) = classify_key(key)
            {
                self.note(kind, key, value);
            }
        }
    }

    fn note(&mut self, kind: MarkKey, key: &str, value: &JsonNode) {
        match (kind, read_flag(value)) {
            (MarkKey::Failure, Some(true)) | (MarkKey::Success, Some(false)) => self.has_failure = true,
            (MarkKey::Failure, Some(false)) | (MarkKey::Success, Some(true)) => self.has_success = true,
            (MarkKey::Failure | MarkKey::Success, None) => self.note_unclear_value(key, value),
            (MarkKey::Error, _) => self.note_error(key, value),
            (MarkKey::Status, _) => self.note_status(key, value),
            (MarkKey::ExitCode, _) => match read_code(value) {
                Some(code) => self.note_exit_code(Some(code)),
                None => self.note_unclear_value(key, value),
            },
            (kind, _) if is_suspicious(kind, value) => self.note_unclear_value(key, value),
            _ => {}
        }
    }

    fn note_error(&mut self, key: &str, value: &JsonNode) {
        match value {
            JsonNode::Bool(false) => self.has_success = true,
            value if is_set(value) => self.has_failure = true,
            JsonNode::String(text) if text.trim().is_empty() => self.empty_error = Some(key.to_owned()),
            // An exception that was written as JSON. An empty list of errors is no error.
            JsonNode::Object(error) if error.is_empty() && !key.ends_with('s') => {
                self.empty_error = Some(key.to_owned());
            }
            _ => {}
        }
    }

    fn note_status(&mut self, key: &str, value: &JsonNode) {
        match value {
            // A status of HTTP as a text.
            JsonNode::String(code) if code.parse::<u64>().is_ok() => {
                self.has_failure |= read_code(value).is_some_and(|code| (400..600).contains(&code));
            }
            JsonNode::String(word) => self.note_word(key, word),
            JsonNode::Bool(true) => self.has_success = true,
            JsonNode::Bool(false) => self.has_failure = true,
            JsonNode::Number(number) => self.has_failure |= is_http_error(number),
            // Such as `{"type": "exit", "exit_code": 0}`, where the code says the rest.
            JsonNode::Object(status) if status.has_key("type") || status.has_key("code") => {
                self.read(status);
                let words = ["type", "code"].iter().filter_map(|name| status.text_under(name));
                words.filter(|word| *word != "exit").for_each(|word| self.note_word(key, word));
            }
            value if is_set(value) => self.note_unclear_value(key, value),
            _ => {}
        }
    }

    /// Adds the word under `key` for how the call ended.
    pub(crate) fn note_word(&mut self, key: &str, word: &str) {
        match classify_word(word) {
            StatusWord::Worked => self.has_success = true,
            StatusWord::Complete => self.is_complete = true,
            StatusWord::Failed => self.has_failure = true,
            StatusWord::Pending => self.pending = Some(format!("`{key}` is `{word}`")),
            StatusWord::Unknown if word.is_empty() => {}
            StatusWord::Unknown => self.note_unclear(format!("`{key}` is `{word}`")),
        }
    }

    /// Adds the marks of another record about the same call.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.has_failure |= other.has_failure;
        self.has_success |= other.has_success;
        self.is_complete |= other.is_complete;
        self.empty_error = self.empty_error.take().or(other.empty_error);
        self.unclear = self.unclear.take().or(other.unclear);
        self.pending = self.pending.take().or(other.pending);
        self.exit_code = self.exit_code.or(other.exit_code);
    }

    /// Adds a failure that the format does not mark by a key.
    pub(crate) fn note_failure(&mut self, has_failed: bool) {
        self.has_failure |= has_failed;
    }

    /// Adds a success that the format does not mark by a key.
    pub(crate) fn note_success(&mut self) {
        self.has_success = true;
    }

    /// Adds the exit code of the program that the tool ran.
    pub(crate) fn note_exit_code(&mut self, code: Option<i64>) {
        let Some(code) = code else { return };
        // Of several programs, the first that failed counts.
        self.exit_code = self.exit_code.filter(|known| *known != 0).or(Some(code));
        self.has_failure |= code != 0;
        self.has_success |= code == 0;
    }

    /// Adds the description of a mark that is not understood.
    pub(crate) fn note_unclear(&mut self, why: String) {
        self.unclear.get_or_insert(why);
    }

    fn note_unclear_value(&mut self, key: &str, value: &JsonNode) {
        const MAX_BYTES: usize = 40;
        self.note_unclear(match value {
            JsonNode::String(text) if text.len() <= MAX_BYTES => format!("`{key}` is `{text}`"),
            JsonNode::Bool(_) | JsonNode::Number(_) => format!("`{key}` is `{value}`"),
            _ => format!("`{key}` is set"),
        });
    }

    /// Whether there is any mark but that of a call which has not ended.
    pub(crate) fn is_marked(&self) -> bool {
        self.has_success || self.is_complete || !self.has_only_success()
    }

    /// Whether the record says that the call has not ended, and nothing else.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some() && !self.is_marked()
    }

    /// Whether nothing says that the call may have failed.
    pub(crate) fn has_only_success(&self) -> bool {
        !self.has_failure && self.empty_error.is_none() && self.unclear.is_none()
    }

    /// Whether there is a mark of failure.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failure
    }

    /// Describes the mark that is not understood, if there is one.
    pub(crate) fn unclear(&self) -> Option<&str> {
        self.unclear.as_deref()
    }

    /// The exit code, if there is one.
    pub(crate) fn exit_code(&self) -> Option<i64> {
        self.exit_code
    }

    /// Returns the status of a call that was answered, and the evidence for it. A failure counts more than a success
    /// beside it: a program may be `completed` with an exit code of 1.
    pub(crate) fn judge(&self, unmarked: Unmarked) -> (CallStatus, StatusMark) {
        let unclear = self.unclear.clone().or_else(|| self.pending.clone());
        let empty_error = || self.empty_error.as_ref().map(|key| format!("`{key}` is empty"));
        if self.has_failure {
            (CallStatus::Error, StatusMark::Recorded)
        } else if let Some(why) = unclear.or_else(|| empty_error().filter(|_| !self.has_success)) {
            (CallStatus::Unknown, StatusMark::Unclear(why))
        } else if self.has_success {
            (CallStatus::Ok, StatusMark::Recorded)
        } else {
            match unmarked {
                Unmarked::Worked if self.is_complete => (CallStatus::Ok, StatusMark::Recorded),
                Unmarked::Worked => (CallStatus::Ok, StatusMark::Inferred),
                Unmarked::Unrecorded => (CallStatus::Unknown, StatusMark::Recorded),
            }
        }
    }

    /// Sets the status of a call that was answered.
    pub(crate) fn settle(&self, call: &mut Call, unmarked: Unmarked) {
        (call.status, call.status_mark) = self.judge(unmarked);
    }
}

/// Whether a value under an unknown key may mean that the call failed.
fn is_suspicious(kind: MarkKey, value: &JsonNode) -> bool {
    let is_failed = || value.as_str().is_some_and(|text| classify_word(text) == StatusWord::Failed);
    let is_said = || is_set(value) && !is_good_word(value);
    match (kind, value) {
        (MarkKey::LikeSuccess, value) => read_flag(value) == Some(false) || is_failed(),
        (MarkKey::LikeStatus, JsonNode::Number(number)) => is_http_error(number),
        // A list is a history of statuses.
        (MarkKey::LikeStatus, JsonNode::Bool(_) | JsonNode::Array(_))
        | (MarkKey::LikeError, JsonNode::Number(_)) => false,
        (MarkKey::LikeExitCode, value) => read_code(value) != Some(0) && is_said(),
        (MarkKey::LikeStatus | MarkKey::LikeError, _) => is_said(),
        (_, _) => false,
    }
}

/// Reads a flag, which some writers put into a text. `None` for anything else.
fn read_flag(value: &JsonNode) -> Option<bool> {
    match value {
        JsonNode::Bool(flag) => Some(*flag),
        JsonNode::Number(number) => {
            number.as_i64().filter(|number| (0..=1).contains(number)).map(|number| number == 1)
        }
        JsonNode::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        JsonNode::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn read_code(value: &JsonNode) -> Option<i64> {
    match value {
        JsonNode::Number(number) => number.as_i64(),
        JsonNode::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn is_http_error(number: &JsonNumber) -> bool {
    number.as_u64().is_some_and(|code| (400..600).contains(&code))
}

/// Whether a value is a word for a call that worked or has ended.
fn is_good_word(value: &JsonNode) -> bool {
    let word = value.as_str().map(classify_word);
    matches!(word, Some(StatusWord::Worked | StatusWord::Complete))
}

/// Texts under an error or a flag that mean no error.
const NONE: &[&str] = &["false", "no", "none", "null", "ok", "undefined"];

/// Whether a value says that there is something: it is not empty, zero, or a word for none.
pub(crate) fn is_set(value: &JsonNode) -> bool {
    match value {
        JsonNode::Null => false,
        JsonNode::Bool(flag) => *flag,
        JsonNode::Number(number) => number.as_f64() != Some(0.0),
        JsonNode::String(text) => {
            let text = text.trim();
            !text.is_empty() && !NONE.iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        JsonNode::Array(items) => !items.is_empty(),
        JsonNode::Object(object) => object.values().any(|value| !value.is_null()),
    }
}

/// Adds the `result` and the `error` of a record to its call. In these formats, a record without either is that of a call
/// that was not answered.
pub(crate) fn with_result(call: Call, mut record: JsonObject) -> Call {
    let marks = OutcomeMarks::of(&record);
    let error = error_of(&mut record);
    let result = record.take(&["result"]).map(JsonNode::into_json);
    let mut call = Call { result, error, ..call };
    if call.result.is_some() || call.error.is_some() || marks.is_marked() {
        marks.settle(&mut call, Unmarked::Worked);
    }
    call
}

/// Returns the text of a record's `error`, which may be an object with a `message`, or with a `content` that is text.
pub(crate) fn error_of(record: &mut JsonObject) -> Option<String> {
    let error = record.take(&["error"])?;
    let message = error.get("message").and_then(JsonNode::as_str).map(ToOwned::to_owned);
    let content =
        || all_texts(error.get("content")?).filter(|texts| !texts.is_empty()).map(|texts| texts.concat());
    match message.or_else(content) {
        Some(said) => Some(said),
        None => Some(error.into_text_or_json().into_owned()),
    }
}
