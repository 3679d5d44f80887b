//! The constraints that a value violates, with their messages.

use super::explain::{Explanation, named, part, shown};
use std::cell::Cell;

use super::slip::Names;
use super::{Raw, join};
use crate::json::Json;
use crate::outcome::Violation;
use crate::yaml::pointer_tokens;

/// The faults of one value.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The first of them, up to [`MAX_FAULTS`](super::MAX_FAULTS).
    pub(crate) listed: Vec<Fault>,
    /// The number of those that are not listed.
    pub(super) more: usize,
}

impl Faults {
    /// Adds a fault, which is built only if it is listed.
    #[cfg(feature = "json-schema")]
    pub(super) fn add(&mut self, build: impl FnOnce() -> Fault) {
        if self.listed.len() < super::MAX_FAULTS { self.listed.push(build()) } else { self.more += 1 }
    }

    /// Whether the value has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Returns a violation for each fault that is listed, and one that counts the others.
    pub(crate) fn describe_each(&self, describe: impl Fn(&Fault) -> Violation) -> Vec<Violation> {
        let rest = (self.more > 0).then(|| {
            Violation::new(format!("{} more parts do not fit the schema", self.more))
                .help("mend those above first: each of the others is left out here")
        });
        self.listed.iter().map(describe).chain(rest).collect()
    }
}

/// The bytes of values that the faults of one value quote whole, together. The same object may lack a thousand
/// properties, and would be copied for each.
const MAX_QUOTED_BYTES: usize = 1 << 20;

/// The pairs of names, one known and one given, that are compared to guess which name the agent meant, in all faults of one
/// value. An object made by hand has some hundred.
const MAX_COMPARED_PAIRS: usize = 100_000;

/// What may still be quoted whole and guessed in the faults of one value.
pub(super) struct FaultBudget {
    quoted_bytes: Cell<usize>,
    compared_pairs: Cell<usize>,
}

impl FaultBudget {
    pub(super) fn new() -> Self {
        Self { quoted_bytes: Cell::new(MAX_QUOTED_BYTES), compared_pairs: Cell::new(MAX_COMPARED_PAIRS) }
    }

    /// Whether so many names may be compared for a guess.
    fn allows_guess(&self, pairs: usize) -> bool {
        let left = self.compared_pairs.get().checked_sub(pairs);
        self.compared_pairs.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Returns a copy of `value`, or its description if the budget does not suffice.
    fn quote_value(&self, value: &Json) -> Result<Json, String> {
        let mut left = self.quoted_bytes.get();
        if count_bytes(value, &mut left) {
            self.quoted_bytes.set(left);
            Ok(value.clone())
        } else {
            Err(describe_large(value))
        }
    }
}

/// Subtracts the size of `value`, about. Stops with `false` if it is larger than what is left.
fn count_bytes(value: &Json, left: &mut usize) -> bool {
    let own = match value {
        Json::String(text) => text.as_str().len() + 8,
        _ => 8,
    };
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value {
        Json::Array(items) => items.iter().all(|item| count_bytes(item, left)),
        Json::Object(object) => object.iter().all(|(name, value)| {
            *left = left.saturating_sub(name.as_str().len());
            count_bytes(value, left)
        }),
        _ => true,
    }
}

/// Describes a value without quoting it.
fn describe_large(value: &Json) -> String {
    match value {
        Json::Object(object) => format!("an object with {} properties", object.len()),
        Json::Array(items) => format!("a list of {} items", items.len()),
        Json::String(text) => format!("a text of {} bytes", text.as_str().len()),
        other => other.to_string(),
    }
}

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
    /// The description of one of the two, if it is too large to be kept.
    pub(crate) described: Option<String>,
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
                let around = self.around.as_ref().map(shown).or_else(|| self.described.clone());
                let around = around.map_or_else(String::new, |around| format!(" in {around}"));
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
        self.value.as_ref().map(shown).or_else(|| self.described.clone()).unwrap_or_default()
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
    pub(super) budget: &'s FaultBudget,
}

impl BrokenKeyword<'_> {
    pub(super) fn describe_value(&self, explanation: Explanation) -> Fault {
        let written = self.raw.origin.locate(&self.keyword);
        let quoted = self.budget.quote_value(self.value);
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Value,
            described: quoted.as_ref().err().cloned(),
            value: quoted.ok(),
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
        let instead =
            self.names().and_then(|names| names.passed_for(name)).map_or_else(String::new, |passed| {
                format!("; did the agent mean it by {}?", named(&join(around, passed)))
            });
        let quoted = self.budget.quote_value(self.value);
        Fault {
            constraint: format!("{}: {asked}", find_requirement(&self.keyword)),
            subject: Subject::Missing,
            value: None,
            described: quoted.as_ref().err().cloned(),
            around: quoted.ok(),
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
        let meant = self.names().and_then(|names| names.meant_by(name)).map_or_else(String::new, |meant| {
            format!("; did the agent mean {}?", named(&join(around, meant)))
        });
        let quoted = self.value.get(name).map(|value| self.budget.quote_value(value)).transpose();
        Fault {
            constraint: render_constraint(&written, self.raw.json.pointer(&self.keyword)),
            subject: Subject::Unexpected,
            described: quoted.as_ref().err().cloned(),
            value: quoted.ok().flatten(),
            around: None,
            rank: (pointer.clone(), 0),
            written,
            problem: format!("unexpected {}", self.noun),
            advice: format!("leave out {}{meant}", named(&pointer)),
            pointer,
        }
    }

    /// The names that the schema around the keyword knows, and those that the value has. `None` if there are too many to guess
    /// which one is meant.
    fn names(&self) -> Option<Names<'_>> {
        let around = self.keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let schema = self.raw.json.pointer(around).unwrap_or(&Json::Null);
        let pairs = Names::count_pairs(schema, self.value);
        self.budget.allows_guess(pairs).then(|| Names::of(schema, self.value))
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

/// Longer constraints are cut: a list may have thousands of options, and each fault has the constraint.
const MAX_CONSTRAINT_BYTES: usize = 4_000;

/// `KEYWORD: VALUE`, or the keyword alone where its value is schemas.
fn render_constraint(written: &str, value: Option<&Json>) -> String {
    let mut constraint = render_whole_constraint(written, value);
    if constraint.len() > MAX_CONSTRAINT_BYTES {
        constraint.truncate(constraint.floor_char_boundary(MAX_CONSTRAINT_BYTES));
        constraint.push('…');
    }
    constraint
}

fn render_whole_constraint(written: &str, value: Option<&Json>) -> String {
    let keyword = pointer_tokens(written).last().unwrap_or_default().into_owned();
    match value {
        // Schemas under a keyword are no values that a message could quote.
        Some(Json::Array(items)) if items.iter().any(Json::is_object) && keyword != "enum" => keyword,
        Some(Json::Object(_)) if keyword != "const" => keyword,
        Some(Json::String(text)) if keyword != "const" => format!("{keyword}: {text}"),
        Some(Json::Array(items)) => {
            let mut listed = String::new();
            for item in items {
                let separator = if listed.is_empty() { "" } else { ", " };
                // The rest would be cut, and rendering it for each fault takes long.
                if listed.len() > MAX_CONSTRAINT_BYTES {
                    break;
                }
                listed.extend([separator, &item.to_string()]);
            }
            format!("{keyword}: [{listed}]")
        }
        Some(value) => format!("{keyword}: {value}"),
        None => keyword,
    }
}
