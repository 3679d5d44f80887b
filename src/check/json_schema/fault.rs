//! The constraints that a value violates, with their messages.

use crate::json::Json;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;

use super::exact::NOT_COMPARED;
use super::explain::{explain, named, part, shown};
use super::keyword::keyword;
use super::slip::Names;
use super::{Raw, join};
use crate::outcome::Violation;
use crate::yaml::pointer_tokens;

/// The kind of part that a fault concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A value that is there.
    Value,
    /// A part that is not there.
    Missing,
    /// A part that should not be there.
    Unexpected,
}

/// One constraint that a value violates.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The JSON pointer of the part of the value; empty for the whole value.
    pub(crate) pointer: String,
    /// Whether the part exists, is missing or is unexpected.
    pub(crate) subject: Subject,
    /// The value of the part, if it exists.
    pub(crate) value: Option<Json>,
    /// The value that a missing part is missing from.
    pub(crate) around: Option<Json>,
    /// The constraint in the file's words: `max: 30`.
    pub(crate) constraint: String,
    /// The constraint's pointer in the file.
    pub(crate) written: String,
    /// The sort key: missing parts in the order of the file, before parts that are there.
    pub(crate) rank: (String, usize),
    /// The problem: "value exceeds maximum of 30".
    pub(crate) problem: String,
    /// Advice: "use percent <= 30".
    pub(crate) advice: String,
}

impl Fault {
    /// The part's bare name at the top level, its JSON pointer below; `None` for the value as a whole.
    pub(crate) fn part(&self) -> Option<String> {
        (!self.pointer.is_empty()).then(|| part(&self.pointer))
    }

    /// Says what is wrong in `whole`: `the answer`, `the result of ...`.
    pub(crate) fn describe_in(&self, whole: &str) -> String {
        let problem = &self.problem;
        match (self.subject, self.part()) {
            (Subject::Missing, Some(part)) => {
                let around =
                    self.around.as_ref().map_or_else(String::new, |around| format!(" in {}", shown(around)));
                format!("{whole} has no `{part}`: {problem}{around}")
            }
            (_, Some(part)) => format!("`{part}` in {whole} is {}: {problem}", self.shown()),
            (_, None) => format!("{whole} is {}: {problem}", self.shown()),
        }
    }

    /// Adds the part, its value and the constraint to `violation`.
    pub(crate) fn detail(&self, violation: Violation) -> Violation {
        Violation {
            argument: self.part(),
            value: self.value.as_ref().or(self.around.as_ref()).cloned(),
            constraint: Some(self.constraint.clone()),
            ..violation
        }
    }

    /// The value, cut to a line's length.
    pub(crate) fn shown(&self) -> String {
        self.value.as_ref().map_or_else(String::new, shown)
    }
}

/// Describes why the engine stopped before it could decide.
pub(crate) fn unfinished(error: &ValidationError<'_>) -> Option<String> {
    let path = error.instance_path().as_str();
    let at = if path.is_empty() { "a value".to_owned() } else { format!("`{}`", part(path)) };
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } => {
            Some(format!("a pattern needs too many steps on {at}: simplify it, or bound its repetitions"))
        }
        Kind::Custom { message, .. } if message == NOT_COMPARED => Some(format!("{NOT_COMPARED} in {at}")),
        Kind::RegexEngineFailure { message } => Some(format!("a pattern failed on {at}: {message}")),
        _ => None,
    }
}

/// Lists the faults of `error`: one for each part that it concerns.
pub(crate) fn faults(error: &ValidationError<'_>, raw: &Raw, value: &Json, noun: &str) -> Vec<Fault> {
    // The part of the value has the digits that were written.
    let instance = value.pointer(error.instance_path().as_str()).unwrap_or(value);
    let broken = Broken { error, raw, instance, keyword: keyword(error, &raw.json), noun };
    match error.kind() {
        Kind::Required { property } => vec![broken.missing(property.as_str().unwrap_or_default())],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| broken.unexpected(name)).collect()
        }
        _ => vec![broken.value()],
    }
}

/// One error of the engine, and the pointer of its keyword in the schema.
struct Broken<'e, 'v> {
    error: &'e ValidationError<'v>,
    raw: &'e Raw,
    instance: &'e Json,
    keyword: String,
    noun: &'e str,
}

impl Broken<'_, '_> {
    fn value(&self) -> Fault {
        let pointer = self.error.instance_path().as_str().to_owned();
        let (problem, advice) = explain(self.error, &pointer, &self.raw.json);
        let written = self.raw.origin.locate(&self.keyword);
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Value,
            value: Some(self.instance.clone()),
            around: None,
            rank: (pointer.clone(), 0),
            pointer,
            written,
            problem,
            advice,
        }
    }

    fn missing(&self, name: &str) -> Fault {
        let around = self.error.instance_path().as_str();
        let pointer = join(around, name);
        // The engine names the list `required`. The entry in it is where the user wrote the name.
        let names = self.raw.json.pointer(&self.keyword).and_then(Json::as_array);
        let index = names.and_then(|names| names.iter().position(|known| known == name));
        let entry = index.map_or_else(|| self.keyword.clone(), |index| format!("{}/{index}", self.keyword));
        let written = self.raw.origin.locate(&entry);
        // Where each argument says for itself that it is required, the entry of the list has no line of its own.
        let by_itself = entry != self.keyword && written.ends_with("/required");
        let asked = if by_itself { "true" } else { name };
        let instead = self.names().passed_for(name).map_or_else(String::new, |passed| {
            format!("; did the agent mean it by {}?", named(&join(around, passed)))
        });
        Fault {
            constraint: format!("{}: {asked}", find_requirement(&self.keyword)),
            subject: Subject::Missing,
            value: None,
            around: Some(self.instance.clone()),
            rank: (around.to_owned(), index.unwrap_or_default()),
            written,
            problem: format!("missing required {}", self.noun),
            advice: format!("pass {}{instead}", named(&pointer)),
            pointer,
        }
    }

    fn unexpected(&self, name: &str) -> Fault {
        let around = self.error.instance_path().as_str();
        let pointer = join(around, name);
        let written = self.raw.origin.locate(&self.keyword);
        let meant = self.names().meant_by(name).map_or_else(String::new, |meant| {
            format!("; did the agent mean {}?", named(&join(around, meant)))
        });
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Unexpected,
            value: self.instance.get(name).cloned(),
            around: None,
            rank: (pointer.clone(), 0),
            written,
            problem: format!("unexpected {}", self.noun),
            advice: format!("leave out {}{meant}", named(&pointer)),
            pointer,
        }
    }

    /// The names that the schema around the keyword knows, and those that the value has.
    fn names(&self) -> Names<'_> {
        let around = self.keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let schema = self.raw.json.pointer(around).unwrap_or(&Json::Null);
        Names::of(schema, self.instance)
    }
}

/// Finds the keyword that requires a part: `required`, or `dependentRequired` around it.
fn find_requirement(keyword: &str) -> String {
    let tokens: Vec<String> = pointer_tokens(keyword).map(std::borrow::Cow::into_owned).collect();
    match tokens.as_slice() {
        [.., word, _] if word == "dependentRequired" || word == "dependencies" => word.clone(),
        [.., word] => word.clone(),
        [] => String::new(),
    }
}

/// `KEYWORD: VALUE`, or the keyword alone where its value is schemas.
fn render_constraint(written: &str, value: Option<&Json>) -> String {
    let keyword = pointer_tokens(written).last().unwrap_or_default().into_owned();
    match value {
        // Schemas under a keyword are no values that a message could quote.
        Some(Json::Array(items)) if items.iter().any(Json::is_object) && keyword != "enum" => keyword,
        Some(Json::Object(_)) if keyword != "const" => keyword,
        Some(Json::String(text)) if keyword != "const" => format!("{keyword}: {text}"),
        Some(Json::Array(items)) => {
            let items: Vec<String> = items.iter().map(Json::to_string).collect();
            format!("{keyword}: [{}]", items.join(", "))
        }
        Some(value) => format!("{keyword}: {value}"),
        None => keyword,
    }
}
