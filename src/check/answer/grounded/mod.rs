//! `grounded`: the facts in the final answer appear in a tool result, in an argument, or in the prompt.
//!
//! This check needs no model. It compares the *atoms* of the answer: numbers with their units, money, percentages, dates
//! and times, identifiers, quotations, URLs and file paths. Each atom must appear in the evidence in some spelling:
//! `$1,234.50` is `1234.5 USD`, `50 %` is `50%` (and the bare number 0.5), `March 3rd, 2025` is `2025-03-03`, `10
//! PM` is `22:00`.
//!
//! <!-- settings -->
//!
//! The rules:
//!
//! - The evidence is each result and error, each argument, and each message of the user and the system. Messages of
//!   the model are not evidence. The model also writes the arguments: if it mails its answer with a tool, the mail
//!   supports the answer. `from: [results, prompt]` excludes arguments.
//! - A number without a unit in the evidence supports any unit. Two different units do not match. The sign counts:
//!   -5 in the evidence supports 5, but 5 does not support -5. A date without a year supports that day in each year
//!   that the evidence names.
//! - Numbers that count parts of the answer are not atoms: `1.` before an entry of a list, `Step 2`, `3rd`. Other
//!   small numbers are atoms. They are supported by the length of each list in a result or argument, by the number of
//!   calls (in total and of each tool), and by the words from `one` to `twelve` in the evidence. A length or a number of
//!   calls supports no money and no percentage.
//! - A figure that touches letters of a script without blanks is a figure: `42件`, `45.99元`, `42개`. `1 234,50` is one
//!   figure: what follows one to three digits is groups of three.
//! - A part of an identifier or of a host is another one: `TRK-88-99` does not support `TRK-88`, nor
//!   `https://a.example.test` `https://a.example`.
//! - Times without AM or PM use 24 hours. `03/04/2025` is a day in March or in April. Names of months are English.
//!   Quotations are in double or angled quotation marks. Names and other words are not atoms.
//! - Nothing is calculated: a sum, a difference, a rounded figure or a converted unit is unsupported.
//!
//! This is evidence, not proof: in 200 real runs of GPT-4o, 41 % of the failed runs contained an unsupported
//! number, id or date, and 14 % of the successful runs. The score is the share of distinct atoms with support. An
//! answer without atoms holds. If a value could be in a result that the trace does not contain, the check is
//! undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../../tests/check/grounded/fail-wrong-price.yaml")]
//! ```

mod claims;
mod nearest;
mod sources;

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, de};

use crate::JsonSchema;
use crate::check::support::answer::{answer, excerpt, position, saying};
use crate::check::support::known_facts::{KnownFacts, Leaf};
use crate::check::support::messages::join_list;
use crate::check::{Check, CheckKind};
use crate::evidence::{Evidence, Question};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation, count_to_f64};
use crate::pattern::{Atom, AtomKind, AtomReading, find_atoms};
use crate::secrets::QuotedText;
use sources::{From, leaves, unseen_result};

pub(crate) const KIND: CheckKind = CheckKind::of::<Grounded>(
    "grounded",
    "each number, date, id and quotation in the answer appears in the results, arguments or prompt",
)
.shorthand("max_unsupported");

/// The greatest number of violations. Further ones are counted.
const SHOWN: usize = 50;

/// The number of characters of a value that are shown.
const LONGEST: usize = 80;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Grounded {
    /// How many atoms may be unsupported: a count from 1, or a share below 1. Default: 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_unsupported: Allowed,
    /// The atoms that count. Default: all.
    #[serde(default = "all_atoms", deserialize_with = "at_least_one")]
    #[schemars(length(min = 1))]
    atoms: Vec<AtomKind>,
    /// The evidence that supports an atom. Default: all three.
    #[serde(default = "list_all_sources", deserialize_with = "at_least_one")]
    #[schemars(length(min = 1))]
    from: Vec<From>,
    /// `true`: a configured judge looks at all claims as well, under the label `hallucination`. Default: `false`.
    #[serde(default)]
    claims: bool,
}

/// The share or number of atoms that may lack support.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(with = "f64", inline)]
#[serde(try_from = "f64")]
enum Allowed {
    Count(u32),
    Share(f64),
}

impl Default for Allowed {
    fn default() -> Self {
        Self::Count(0)
    }
}

impl TryFrom<f64> for Allowed {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        // 1 is one atom and not a share of 100 %, which would allow everything.
        let whole = value >= 1.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number in range"
        )]
        match value {
            0.0 => Ok(Self::default()),
            _ if whole => Ok(Self::Count(value as u32)),
            _ if value > 0.0 && value < 1.0 => Ok(Self::Share(value)),
            _ => Err(format!("{value} cannot be: give a whole number of atoms, or a share below 1")),
        }
    }
}

impl Allowed {
    fn allows(self, orphans: usize, all: usize) -> bool {
        match self {
            Self::Count(count) => orphans <= count as usize,
            // A share as it is written (0.1 of 10 is 1), whatever its last bit.
            Self::Share(share) => count_to_f64(orphans) <= share * count_to_f64(all) + 1e-9,
        }
    }
}

fn all_atoms() -> Vec<AtomKind> {
    AtomKind::ALL.to_vec()
}

fn list_all_sources() -> Vec<From> {
    vec![From::Results, From::Arguments, From::Prompt]
}

fn at_least_one<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::<T>::deserialize(deserializer)?;
    if list.is_empty() { Err(de::Error::custom("an empty list leaves nothing to look up")) } else { Ok(list) }
}

impl Check for Grounded {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let outcome = self.by_atoms(evidence)?;
        if self.claims { claims::added(outcome, evidence, self.max_unsupported) } else { Ok(outcome) }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let count = match self.max_unsupported {
            Allowed::Count(count) => count.checked_add(1).filter(|count| *count <= 1000)?,
            Allowed::Share(_) => 1,
        };
        let claims: Vec<String> = (0..count).map(|index| example(self.atoms[0], index)).collect();
        let mut run = saying(claims.join(" , "));
        sources::example(&mut run, self.from[0]);
        Some(run)
    }

    fn questions(&self) -> Vec<Question> {
        if self.claims { vec![claims::question()] } else { Vec::new() }
    }
}

impl Grounded {
    fn by_atoms(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let answer = answer(evidence)?;
        let claims = distinct(answer, find_atoms(answer, &self.atoms));
        // An answer without claims needs no evidence, so this comes before the missing leaves.
        if claims.is_empty() {
            return Ok(nothing_stated());
        }
        let leaves = leaves(evidence, &self.from);
        if leaves.is_empty() {
            return Err(CannotDecide::missing(format!("the trace has no {} to look in", self.places())));
        }
        self.look_up(evidence, answer, &claims, &leaves)
    }

    fn look_up(
        &self,
        evidence: &Evidence<'_>,
        answer: &str,
        claims: &[Claim],
        leaves: &[Leaf<'_>],
    ) -> Result<Outcome, CannotDecide> {
        let readings = claims.iter().flat_map(|claim| {
            let Atom { kind, readings, .. } = &claim.atom;
            readings.iter().map(|reading| (*kind, reading))
        });
        let known = KnownFacts::new(leaves, readings).ok_or_else(|| {
            CannotDecide::budget_exceeded("the answer has more texts than can be looked up")
        })?;
        let mut items = Vec::new();
        let mut orphans = Vec::new();
        for claim in claims {
            let held = claim.atom.readings.iter().any(|reading| known.supports(reading))
                || known.has_columns(&answer[claim.atom.range.clone()]);
            items.push(claim.item(held));
            orphans.extend((!held).then_some(claim));
        }
        let broken = !self.max_unsupported.allows(orphans.len(), claims.len());
        // The missing values may be in a result that was not recorded. A wrong answer cannot be told from an unseen
        // one then.
        if let Some(call) = unseen_result(evidence, &self.from).filter(|_| broken) {
            return Err(report_unseen(&call, &orphans));
        }
        let violations = if broken { self.violations(&orphans, answer, &known) } else { Vec::new() };
        let outcome = Outcome::of_items(items, violations);
        Ok(outcome.stat("atoms", claims.len()).stat("unsupported", orphans.len()))
    }

    fn violations(&self, orphans: &[&Claim], answer: &str, known: &KnownFacts) -> Vec<Violation> {
        let told = orphans.iter().take(SHOWN).map(|claim| self.orphan(claim, answer, known));
        let more = orphans.len().saturating_sub(SHOWN);
        told.chain((more > 0).then(|| self.and_more(more))).collect()
    }

    fn orphan(&self, claim: &Claim, answer: &str, known: &KnownFacts) -> Violation {
        let text = claim.text.as_str();
        let kind = claim.atom.kind.name();
        let at = position(answer, claim.atom.range.start);
        Violation::new(format!("the answer says `{text}`, at {at}, but no {} does", self.places()))
            .value(text)
            .at("/max_unsupported")
            .expected(
                format!("each {kind} of the answer stands in a {}", self.places()),
                excerpt(answer, claim.atom.range.clone()),
            )
            .help(match nearest::nearest(&claim.atom.readings, known) {
                Some(near) => format!("the nearest there is {near}"),
                None => "have the agent look it up, or allow some by `max_unsupported`".to_owned(),
            })
    }

    fn and_more(&self, more: usize) -> Violation {
        Violation::new(format!("{more} more values of the answer stand in no {}", self.places()))
            .at("/max_unsupported")
    }

    /// Names the sources in a message.
    fn places(&self) -> String {
        let names: Vec<String> = self.from.iter().map(|from| from.name().to_owned()).collect();
        join_list(&names, "or")
    }
}

/// One distinct atom of the answer.
struct Claim {
    atom: Atom,
    /// The words of the answer, cut if they are long.
    text: String,
    times: usize,
}

impl Claim {
    fn item(&self, is_held: bool) -> Item {
        let item = Item::tested(format!("{} `{}`", self.atom.kind.name(), self.text), is_held);
        if self.times == 1 { item } else { item.note(format!("{} times", self.times)) }
    }
}

/// Lists each claim once, at its first place.
fn distinct(answer: &str, atoms: Vec<Atom>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    let mut places: HashMap<Vec<AtomReading>, usize> = HashMap::new();
    let quoted = QuotedText::new(answer);
    for atom in atoms {
        // One value may be written in several ways: equal readings make it one claim.
        let place = *places.entry(atom.readings.clone()).or_insert(claims.len());
        if let Some(claim) = claims.get_mut(place) {
            claim.times += 1;
        } else {
            let text = quoted.cut_range(&atom.range, LONGEST).to_string();
            claims.push(Claim { atom, text, times: 1 });
        }
    }
    claims
}

fn nothing_stated() -> Outcome {
    let item = Item::new("the answer", State::NotExercised).note("it states nothing that could be looked up");
    Outcome::of_items(vec![item], Vec::new())
}

fn report_unseen(call: &str, orphans: &[&Claim]) -> CannotDecide {
    let first = orphans.first().map(|claim| claim.text.as_str()).unwrap_or_default();
    let more = match orphans.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    CannotDecide::missing(format!("{call} has no result in the trace, and `{first}`{more} may stand there"))
        .help("record results too, or leave them out by `from`")
}

fn example(kind: AtomKind, index: u32) -> String {
    match kind {
        AtomKind::Money => format!("$791{index}.37"),
        AtomKind::Numbers => format!("791{index}"),
        AtomKind::Percentages => format!("791{index}%"),
        AtomKind::Dates => format!("{}-03-03", 1000 + index),
        AtomKind::Ids => format!("XQ-791{index}"),
        AtomKind::Quotes => format!("\"made up {index}\""),
        AtomKind::Urls => format!("https://made.example/{index}"),
        AtomKind::Paths => format!("/made/up/{index}.txt"),
    }
}

#[cfg(test)]
mod tests;
