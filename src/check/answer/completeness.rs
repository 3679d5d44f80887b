//! `completeness`: the answer contains the expected fields.
//!
//! One of the three axes of a golden dataset: the share of the listed fields that the answer contains. The answer
//! contains a field if it contains one of the field's aliases (or its name, if it has none), ignoring case, with no
//! ASCII letter directly before or after it: "$199" contains `price`, "surprise" does not. A missing answer
//! contains no field.
//!
//! <!-- settings -->
//!
//! Default aliases: `price`: price, $, USD, cost; `rating`: rating, stars, score; `status`: status, state;
//! `tracking_number`: tracking, shipment. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/completeness/fail-one-of-two.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{AnswerScope, beginning, excerpt, require_whole_answer};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::json::Json;
use crate::outcome::{CannotDecide, Item, Outcome, Score, State, Violation};
use crate::pattern::{FieldPattern, WrittenAliases};
use crate::place::LoadErrors;
use crate::trace::Trace;
use crate::yaml::{Node, Placed, read_all};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<CompletenessSettings>("completeness", "the answer contains the expected fields")
        .shorthand("expected_fields")
        .only_reports(expects_nothing)
        .without_calls();

/// Settings of `completeness`.
#[derive(Deserialize, JsonSchema)]
struct CompletenessSettings {
    /// The fields. One that is listed twice counts twice. Without any, the score is 1, and the verdict notes it.
    expected_fields: Option<Vec<Placed<String>>>,
    /// The text in which the fields are looked for.
    answer: Option<AnswerScope>,
    /// Aliases by field: `{price: [fee]}` replaces those of `price`, and keeps those of other fields.
    field_aliases: Option<WrittenAliases>,
}

struct Completeness {
    expected: Vec<Field>,
    answer: AnswerScope,
}

struct Field {
    name: String,
    pattern: FieldPattern,
}

/// A row that expects no field is complete whatever the agent says.
fn expects_nothing(node: Node<'_>) -> bool {
    node.get("expected_fields").and_then(Node::list).is_none_or(|fields| fields.len() == 0)
}

impl BuildCheck for CompletenessSettings {
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { expected_fields, answer, field_aliases } = settings.into_value();
        let aliases = scope.tables.field_aliases.extend(field_aliases.unwrap_or_default());
        let expected = read_all(expected_fields.unwrap_or_default().into_iter().map(|name| {
            let pattern = name.try_map(|name| aliases.compile_pattern(name));
            pattern.map(|pattern| Field { name: name.into_value(), pattern })
        }))?;
        Ok(Box::new(Completeness { expected, answer: answer.unwrap_or_default() }))
    }
}

impl Check for Completeness {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        if !self.expected.is_empty() {
            require_whole_answer(&evidence.trace)?;
        }
        let answer = self.answer.in_trace(&evidence.trace);
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for (index, field) in self.expected.iter().enumerate() {
            let told = answer.as_deref().is_some_and(|answer| field.pattern.is_match(answer));
            items.push(Item::tested(&field.name, told));
            violations.extend((!told).then(|| describe_missing(index, field, answer.as_deref())));
        }
        let found = names_of(&items, State::Held);
        let missing = names_of(&items, State::Violated);
        // An empty list requires nothing. The report shows that, and it costs no points.
        if items.is_empty() {
            items.push(Item::new("expected fields", State::NotExercised).note("none are expected"));
        }
        Ok(Outcome::of_items(items, violations).value("found", found).value("missing", missing))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn is_vacuous(&self) -> bool {
        self.expected.is_empty()
    }

    fn lowest_score(&self) -> Score {
        if self.is_vacuous() { Score::FULL } else { Score::ZERO }
    }
}

fn names_of(items: &[Item], state: State) -> Json {
    items.iter().filter(|item| item.state == state).map(|item| item.label.as_str()).collect()
}

fn describe_missing(index: usize, field: &Field, answer: Option<&str>) -> Violation {
    let wanted =
        format!("one of `{}`, no letter beside it, in any case", field.pattern.aliases().join("`, `"));
    let (message, actual, help) = match answer {
        None => ("there is no answer that tells", "no answer".to_owned(), "let the agent end with an answer"),
        Some(answer) => {
            let (actual, help) = what_is_there(&field.pattern, answer);
            ("the answer does not tell", actual, help)
        }
    };
    Violation::new(format!("{message} `{}`", field.name))
        .at(format!("/expected_fields/{index}"))
        .expected(wanted, actual)
        .help(help)
}

/// Explains to a user who sees the word in the answer why it does not count.
fn what_is_there(pattern: &FieldPattern, answer: &str) -> (String, &'static str) {
    match pattern.find_within(answer) {
        Some(found) => {
            (excerpt(answer, found), "a letter stands directly beside it: part of another word tells nothing")
        }
        None => (
            beginning(answer),
            "change what the agent answers, or add the words that it uses to `field_aliases`",
        ),
    }
}
