//! The constraints that a value violates, with their messages.

use super::explain::{Explanation, named, part, shown};
use super::slip::Names;
use super::{Raw, join};
use crate::json::Json;
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

/// A keyword that a value violates, from which faults are made.
pub(super) struct BrokenKeyword<'s> {
    pub(super) raw: &'s Raw,
    /// The pointer of the keyword in the schema.
    pub(super) keyword: String,
    /// The pointer of the value.
    pub(super) pointer: String,
    pub(super) value: &'s Json,
    /// What a part of the value is called.
    pub(super) noun: &'s str,
}

impl BrokenKeyword<'_> {
    pub(super) fn describe_value(&self, explanation: Explanation) -> Fault {
        let written = self.raw.origin.locate(&self.keyword);
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Value,
            value: Some(self.value.clone()),
            around: None,
            rank: (self.pointer.clone(), 0),
            pointer: self.pointer.clone(),
            written,
            problem: explanation.problem,
            advice: explanation.advice,
        }
    }

    pub(super) fn describe_missing(&self, name: &str) -> Fault {
        let around = self.pointer.as_str();
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
            around: Some(self.value.clone()),
            rank: (around.to_owned(), index.unwrap_or_default()),
            written,
            problem: format!("missing required {}", self.noun),
            advice: format!("pass {}{instead}", named(&pointer)),
            pointer,
        }
    }

    pub(super) fn describe_unexpected(&self, name: &str) -> Fault {
        let around = self.pointer.as_str();
        let pointer = join(around, name);
        let written = self.raw.origin.locate(&self.keyword);
        let meant = self.names().meant_by(name).map_or_else(String::new, |meant| {
            format!("; did the agent mean {}?", named(&join(around, meant)))
        });
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Unexpected,
            value: self.value.get(name).cloned(),
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
        Names::of(schema, self.value)
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
