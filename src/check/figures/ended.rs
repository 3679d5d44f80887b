//! `ended`: the run ended in this way.
//!
//! A run ends `well`, or it `failed` (an error ended it, such as a refused request to the model), it was `cut` (a stream broke
//! off, or a text reached the limit of its length), or it reached a `limit` of the agent, such as its number of turns.
//! [Trace formats](../traces.md#how-a-run-ended) lists what each format records. Where a trace does not say how the run ended,
//! the check is undecided.
//!
//! A run that did not end well leaves most checks undecided, because it does not show what the agent would have done. In a
//! case with this check, the other checks are judged on the run as it is.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/ended/fail-in-an-error.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::place::LoadErrors;
use crate::trace::{Ended, Trace};
use crate::yaml::{OneOrMany, Placed};

pub(crate) const KIND: CheckKind =
    CheckKind::built::<EndedSettings>("ended", "the run ended in this way").shorthand("how").of_the_end();

/// Settings of `ended`.
#[derive(Deserialize, JsonSchema)]
struct EndedSettings {
    /// The end: `well`, `failed`, `cut` or `limit`, or a list of these.
    how: Placed<OneOrMany<End>>,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "end")]
#[serde(rename_all = "snake_case")]
enum End {
    Well,
    Failed,
    Cut,
    Limit,
}

/// All ends, each with its example.
const ENDS: [(End, fn() -> Ended); 4] = [
    (End::Well, || Ended::Well),
    (End::Failed, || Ended::Failed(String::new())),
    (End::Cut, || Ended::Cut(String::new())),
    (End::Limit, || Ended::Limit(String::new())),
];

/// The run ends in one of these ways.
struct EndCheck {
    wanted: Vec<End>,
}

impl BuildCheck for EndedSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let Self { how } = settings.into_value();
        if how.0.is_empty() {
            return Err(how.error("an empty list accepts no run: name at least one end").into());
        }
        Ok(Box::new(EndCheck { wanted: how.into_value().0 }))
    }
}

impl End {
    fn describes(self, ended: &Ended) -> bool {
        matches!(
            (self, ended),
            (Self::Well, Ended::Well)
                | (Self::Failed, Ended::Failed(_))
                | (Self::Cut, Ended::Cut(_))
                | (Self::Limit, Ended::Limit(_))
        )
    }

    fn word(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Failed => "failed",
            Self::Cut => "cut",
            Self::Limit => "limit",
        }
    }
}

impl EndCheck {
    fn accepts(&self, ended: &Ended) -> bool {
        self.wanted.iter().any(|end| end.describes(ended))
    }

    fn words(&self) -> String {
        self.wanted.iter().map(|end| end.word()).collect::<Vec<_>>().join(" or ")
    }
}

impl Check for EndCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let ended = &evidence.trace.ended;
        if ended.is_unknown() {
            return Err(CannotDecide::missing("the trace does not say how the run ended")
                .help("`cargo arraign explain TRACE` shows what the trace records"));
        }
        let holds = self.accepts(ended);
        let violation = (!holds).then(|| {
            let reason = ended.reason().map_or_else(String::new, |reason| format!(" ({reason})"));
            Violation::new(format!(
                "expected a run that ended `{}`, this one ended `{}`{reason}",
                self.words(),
                ended.word()
            ))
            .value(ended.to_string())
            .constraint(format!("ended: {}", self.words()))
            .at("/how")
            .help("look at the end of the run: `cargo arraign explain TRACE` shows it")
        });
        let item = Item::tested(format!("ended {}", self.words()), holds).note(format!("it ended {ended}"));
        Ok(Outcome::of_items(vec![item], violation.into_iter().collect()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let (_, example) = ENDS.iter().find(|(end, _)| !self.wanted.contains(end))?;
        Some(Trace { ended: example(), ..Trace::default() }.into())
    }

    fn is_vacuous(&self) -> bool {
        ENDS.iter().all(|(end, _)| self.wanted.contains(end))
    }

    fn judges_end(&self) -> bool {
        true
    }
}
