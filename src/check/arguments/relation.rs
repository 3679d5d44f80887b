//! Relations: an argument that comes from the user's text, or from the result of an earlier call.
//!
//! Whether a value stands in a text is read as `grounded` reads it. What a run does not show, such as a result that was not
//! recorded, is neither a match nor a difference: the question is undecided then.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer_json::shown;
use crate::check::support::call_results::{find_mask, select_in_result};
use crate::check::support::known_facts::{FactsOfText, is_same_figure};
use crate::evidence::{CallSuccess, Evidence, Known, is_same_turn};
use crate::json::Json;
use crate::outcome::CannotDecide;
use crate::pattern::{JsonPath, ToolPattern};
use crate::trace::{Call, Role, Trace};

/// The greatest number of bytes of the user's texts that are searched for the values of a run.
const MAX_SEARCHED_BYTES: usize = 4_000_000_000;

/// The greatest number of earlier calls that the values of a run are compared with.
const MAX_COMPARED_CALLS: usize = 10_000_000;

/// Where the value of an argument comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "relation_source")]
#[serde(rename_all = "snake_case")]
pub(super) enum RelationSource {
    /// The user's text.
    Prompt,
    /// The result of an earlier call.
    Result,
}

impl RelationSource {
    /// The words that users write.
    pub(super) const WORDS: [&str; 2] = ["prompt", "result"];
}

/// What a value is compared with.
#[derive(Debug)]
pub(crate) enum Relation {
    /// The value occurs in what the user said.
    Prompt,
    /// The value is what the path selects in the result of an earlier call of the tool.
    Result { of: ToolPattern, path: JsonPath },
}

impl Relation {
    /// The tool whose results are looked at.
    pub(super) fn tool(&self) -> Option<&ToolPattern> {
        match self {
            Self::Prompt => None,
            Self::Result { of, .. } => Some(of),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt => f.write_str("a value from the user's text"),
            Self::Result { of, path } => {
                write!(f, "the value at `{path}` in an earlier result of `{of}`")
            }
        }
    }
}

/// The run around the arguments of a call, for relations.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'r> {
    run: Option<(&'r RunFacts<'r>, &'r Call)>,
}

impl<'r> CallContext<'r> {
    /// The context of values that belong to no call of a run. Relations are refused where they are read.
    pub(crate) fn none() -> Self {
        Self { run: None }
    }

    /// The context of the arguments of `call`.
    pub(crate) fn of(facts: &'r RunFacts<'r>, call: &'r Call) -> Self {
        Self { run: Some((facts, call)) }
    }

    /// Whether the value is in the relation. The error says why nobody knows.
    pub(super) fn relates(self, value: &Json, relation: &Relation) -> Result<bool, CannotDecide> {
        let Some((facts, call)) = self.run else {
            return Err(CannotDecide::missing("a relation needs the run of the call"));
        };
        match relation {
            Relation::Prompt => facts.occurs_in_prompt(value, call),
            Relation::Result { of, path } => facts.is_in_earlier_result(value, call, of, path),
        }
    }

    /// Says what stands where the value should come from, for a message.
    pub(super) fn describe_source(self, relation: &Relation) -> Option<String> {
        let (facts, call) = self.run?;
        match relation {
            Relation::Prompt => None,
            Relation::Result { of, path } => Some(facts.describe_results(call, of, path)),
        }
    }
}

/// What relations look up in a run.
pub(crate) struct RunFacts<'r> {
    trace: &'r Trace,
    /// The input from the case.
    input: Option<&'r str>,
    success: CallSuccess,
    /// The user's texts in their order, each with the number of calls before it. Read at the first question.
    texts: OnceCell<Vec<UserText>>,
    /// The first text with each value that was looked for, and with it the number of calls before the text.
    found: RefCell<HashMap<String, Option<usize>>>,
    searched_bytes: RefCell<usize>,
    compared_calls: RefCell<usize>,
}

/// A text of the user.
struct UserText {
    /// The number of bytes.
    size: usize,
    is_blank: bool,
    after_calls: usize,
    facts: FactsOfText,
    /// Why the user may have said more than the text shows.
    unread: Option<String>,
}

impl UserText {
    fn new(text: &str, after_calls: usize) -> Self {
        let is_blank = text.trim().is_empty();
        let unread = match find_mask(text) {
            _ if is_blank => Some("one of them is empty in the trace".to_owned()),
            mask => mask.map(|mask| format!("a part of it is left out (`{mask}`)")),
        };
        Self { size: text.len(), is_blank, after_calls, facts: FactsOfText::new(text), unread }
    }
}

impl<'r> RunFacts<'r> {
    pub(crate) fn new(evidence: &'r Evidence<'_>) -> Self {
        Self {
            trace: &evidence.trace,
            input: evidence.input.as_deref(),
            success: CallSuccess::of(&evidence.trace),
            texts: OnceCell::new(),
            found: RefCell::default(),
            searched_bytes: RefCell::default(),
            compared_calls: RefCell::default(),
        }
    }

    fn texts(&self) -> &[UserText] {
        self.texts.get_or_init(|| {
            let asked = self.input.into_iter().chain(self.trace.input.as_deref()).map(|text| (text, 0));
            let said = self.trace.messages.iter().filter(|message| message.role == Role::User);
            let said = said.map(|message| (message.text.as_str(), message.after_calls));
            asked.chain(said).map(|(text, after_calls)| UserText::new(text, after_calls)).collect()
        })
    }

    /// Whether the value occurs in what the user said before the call.
    fn occurs_in_prompt(&self, value: &Json, call: &Call) -> Result<bool, CannotDecide> {
        match value {
            Json::Null | Json::Bool(_) => Ok(false),
            Json::Array(values) => self.all_occur(values.iter(), call),
            Json::Object(fields) => self.all_occur(fields.values(), call),
            Json::String(text) if text.trim().is_empty() => Ok(false),
            Json::String(_) | Json::Number(_) => self.text_occurs(value, call),
        }
    }

    /// Whether there are values, and all of them occur.
    fn all_occur<'v>(
        &self,
        values: impl ExactSizeIterator<Item = &'v Json>,
        call: &Call,
    ) -> Result<bool, CannotDecide> {
        if values.len() == 0 {
            return Ok(false);
        }
        super::accept_all(values, |value| self.occurs_in_prompt(value, call))
    }

    fn text_occurs(&self, value: &Json, call: &Call) -> Result<bool, CannotDecide> {
        let texts = self.texts();
        if texts.iter().all(|text| text.is_blank) {
            return Err(CannotDecide::missing("the trace has no text of the user to look in")
                .help("give the case its `input`"));
        }
        let said = shown(value);
        require_whole(value, call)?;
        match self.find_text(value)? {
            Some(after_calls) if after_calls < call.index => Ok(true),
            // Some writers record what a user said only after the call that answers it.
            Some(_) => Err(CannotDecide::missing(format!(
                "{said} is in a text of the user that the trace has only behind call {}",
                call.index
            ))),
            None => match texts.iter().find_map(|text| text.unread.as_ref()) {
                Some(why) => {
                    Err(CannotDecide::missing(format!("{said} may be in a text of the user: {why}")))
                }
                None => Ok(false),
            },
        }
    }

    /// The number of calls before the first text with the value.
    fn find_text(&self, value: &Json) -> Result<Option<usize>, CannotDecide> {
        let key = value.to_string();
        if let Some(found) = self.found.borrow().get(&key) {
            return Ok(*found);
        }
        let texts = self.texts();
        let size: usize = texts.iter().map(|text| text.size).sum();
        let searched = *self.searched_bytes.borrow() + size;
        if searched > MAX_SEARCHED_BYTES {
            return Err(CannotDecide::budget_exceeded(
                "the run has too many arguments to look for in its prompt",
            ));
        }
        *self.searched_bytes.borrow_mut() = searched;
        let with_value = texts.iter().filter(|text| text.facts.has_value(value));
        let found = with_value.map(|text| text.after_calls).min();
        self.found.borrow_mut().insert(key, found);
        Ok(found)
    }

    /// Whether an earlier result of the tool has the value at the path. A call of the same turn has not seen the result.
    fn is_in_earlier_result(
        &self,
        value: &Json,
        call: &Call,
        of: &ToolPattern,
        path: &JsonPath,
    ) -> Result<bool, CannotDecide> {
        let compared = *self.compared_calls.borrow() + call.index;
        if compared > MAX_COMPARED_CALLS {
            return Err(CannotDecide::budget_exceeded(
                "the run has too many calls to compare with each other",
            ));
        }
        *self.compared_calls.borrow_mut() = compared;
        let said = shown(value);
        require_whole(value, call)?;
        let mut doubt = None;
        for earlier in self.list_earlier(call, of) {
            let happened = self.success.happened(earlier);
            if happened == Known::No {
                continue;
            }
            let selected = select_in_result(earlier, path);
            if selected.values.iter().any(|found| is_same_value(value, found)) {
                if happened == Known::Yes {
                    return Ok(true);
                }
                doubt.get_or_insert_with(|| self.success.explain_doubt(earlier));
            } else if let Some(why) = selected.hidden {
                let Call { index, name, .. } = earlier;
                let reason = format!(
                    "it is not known whether {said} comes from the result of call {index} of `{name}`: {why}"
                );
                doubt.get_or_insert_with(|| CannotDecide::missing(reason));
            }
        }
        doubt.map_or(Ok(false), Err)
    }

    fn list_earlier<'c>(&'c self, call: &'c Call, of: &'c ToolPattern) -> impl Iterator<Item = &'c Call> {
        let earlier = self.trace.calls.iter().take_while(|earlier| earlier.index < call.index);
        earlier.filter(move |earlier| of.matches(earlier) && !is_same_turn(earlier, call))
    }

    fn describe_results(&self, call: &Call, of: &ToolPattern, path: &JsonPath) -> String {
        let mut described = Vec::new();
        for earlier in self.list_earlier(call, of) {
            let selected = select_in_result(earlier, path);
            let values: Vec<String> = selected.values.iter().take(3).map(shown).collect();
            let values = match (selected.values.len(), selected.hidden) {
                _ if self.success.happened(earlier) == Known::No => "it failed".to_owned(),
                (_, Some(why)) => why,
                (0, None) => format!("nothing at `{path}`"),
                (1..=3, None) => values.join(", "),
                (_, None) => format!("{}, ...", values.join(", ")),
            };
            described.push(format!("call {}: {values}", earlier.index));
        }
        let is_of_tool = |other: &&Call| of.matches(other);
        match (described.as_slice(), self.trace.calls.iter().find(is_of_tool)) {
            ([], None) => format!("`{of}` was never called"),
            ([], Some(other)) if other.index < call.index => {
                format!("call {} of `{}` is of the same turn", other.index, other.name)
            }
            ([], Some(other)) => format!("`{}` was called only as call {}", other.name, other.index),
            (described, _) => {
                let rest = described.len().saturating_sub(3);
                let more = if rest == 0 { String::new() } else { format!("; and {rest} more") };
                format!("{}{more}", described[..described.len().min(3)].join("; "))
            }
        }
    }
}

/// Refuses an argument of which a part is left out.
fn require_whole(value: &Json, call: &Call) -> Result<(), CannotDecide> {
    let Some(mask) = value.as_str().and_then(find_mask) else { return Ok(()) };
    let reason = format!("the argument {} of call {} is masked (`{mask}`)", shown(value), call.index);
    Err(CannotDecide::missing(reason))
}

/// Whether two values are equal, or one of them is a text that says nothing but the other's figure: `"$30.00"` and 30.
fn is_same_value(value: &Json, found: &Json) -> bool {
    value == found || is_same_figure(value, found)
}
