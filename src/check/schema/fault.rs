//! What a value does wrong, in a user's words.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::explain::{explain, part, shown};
use super::keyword::keyword;
use super::{Raw, join};
use crate::yaml::{nearest, pointer_tokens};

/// What a fault is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Subject {
    /// A value that is there.
    Value,
    /// A part that is not there.
    Missing,
    /// A part that should not be there.
    Unexpected,
}

/// One constraint that a value breaks.
#[derive(Debug)]
pub(in crate::check) struct Fault {
    /// Which part of the value: a JSON pointer, empty for all of it.
    pub(in crate::check) pointer: String,
    /// Whether it is there.
    pub(in crate::check) subject: Subject,
    /// The part itself, where it is there.
    pub(in crate::check) value: Option<Value>,
    /// The constraint in the file's words: `max: 30`.
    pub(in crate::check) constraint: String,
    /// The constraint's pointer in the file.
    pub(super) written: String,
    /// What is wrong: "value exceeds maximum of 30".
    pub(in crate::check) problem: String,
    /// What to do: "use percent <= 30".
    pub(in crate::check) advice: String,
}

impl Fault {
    /// The part's bare name at the top level, its JSON pointer below; `None` for the value as a whole.
    pub(in crate::check) fn part(&self) -> Option<String> {
        (!self.pointer.is_empty()).then(|| part(&self.pointer))
    }

    /// The value, cut to a line's length.
    pub(in crate::check) fn shown(&self) -> String {
        self.value.as_ref().map_or_else(String::new, shown)
    }
}

/// What stopped the engine before it could decide.
pub(super) fn unfinished(error: &ValidationError<'_>) -> Option<String> {
    let path = error.instance_path().as_str();
    let at = if path.is_empty() { "a value".to_owned() } else { format!("`{}`", part(path)) };
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } => {
            Some(format!("a pattern needs too many steps on {at}: simplify it, or bound its repetitions"))
        }
        Kind::RegexEngineFailure { message } => Some(format!("a pattern failed on {at}: {message}")),
        _ => None,
    }
}

/// The faults that `error` stands for: one for each part concerned.
pub(super) fn faults(error: &ValidationError<'_>, raw: &Raw, noun: &str) -> Vec<Fault> {
    let broken = Broken { error, raw, keyword: keyword(error, &raw.json), noun };
    match error.kind() {
        Kind::Required { property } => vec![broken.missing(property.as_str().unwrap_or_default())],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| broken.unexpected(name)).collect()
        }
        kind => vec![broken.value(kind)],
    }
}

/// One error of the engine, and the pointer of its keyword in the schema.
struct Broken<'e, 'v> {
    error: &'e ValidationError<'v>,
    raw: &'e Raw,
    keyword: String,
    noun: &'e str,
}

impl Broken<'_, '_> {
    fn value(&self, kind: &Kind) -> Fault {
        let pointer = self.error.instance_path().as_str().to_owned();
        let (problem, advice) = explain(kind, self.error, &part(&pointer));
        let written = self.raw.origin.locate(&self.keyword);
        Fault {
            constraint: constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Value,
            value: Some(self.error.instance().as_ref().clone()),
            pointer,
            written,
            problem,
            advice,
        }
    }

    fn missing(&self, name: &str) -> Fault {
        let pointer = join(self.error.instance_path().as_str(), name);
        let names = self.raw.json.pointer(&self.keyword).and_then(Value::as_array);
        let entry = names.and_then(|names| names.iter().position(|known| known == name));
        let entry = entry.map_or_else(|| self.keyword.clone(), |entry| format!("{}/{entry}", self.keyword));
        let written = self.raw.origin.locate(&entry);
        // Where each argument says for itself that it is required, the entry of the list has no line of its own.
        let by_itself = entry != self.keyword && written.ends_with("/required");
        let keyword = self.keyword.rsplit('/').next().unwrap_or_default();
        Fault {
            constraint: if by_itself { "required: true" } else { keyword }.to_owned(),
            subject: Subject::Missing,
            value: None,
            written,
            problem: format!("missing required {}", self.noun),
            advice: format!("pass {}", part(&pointer)),
            pointer,
        }
    }

    fn unexpected(&self, name: &str) -> Fault {
        let pointer = join(self.error.instance_path().as_str(), name);
        let written = self.raw.origin.locate(&self.keyword);
        let around = self.keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let known = self.raw.json.pointer(&format!("{around}/properties")).and_then(Value::as_object);
        let near = known.and_then(|known| nearest(name, known.keys().map(String::as_str)));
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Fault {
            constraint: constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Unexpected,
            value: self.error.instance().get(name).cloned(),
            written,
            problem: format!("unexpected {}", self.noun),
            advice: format!("leave out {}{near}", part(&pointer)),
            pointer,
        }
    }
}

/// `KEYWORD: VALUE`, or the keyword alone where its value is schemas.
fn constraint(written: &str, value: Option<&Value>) -> String {
    let keyword = pointer_tokens(written).last().unwrap_or_default();
    let is_schema = |value: &Value| value.is_object();
    match value {
        Some(Value::Array(items)) if items.iter().any(is_schema) && keyword != "enum" => keyword,
        Some(Value::Object(_)) if keyword != "const" => keyword,
        Some(Value::String(text)) if keyword != "const" => format!("{keyword}: {text}"),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("{keyword}: [{}]", items.join(", "))
        }
        Some(value) => format!("{keyword}: {value}"),
        None => keyword,
    }
}
