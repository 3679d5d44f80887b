//! What the list of cases shows of one of them.

use serde::Serialize;

use crate::case::Tier;
use crate::outcome::Status;
use crate::report::comparison::is_flaky;
use crate::report::terminal::{first_place, headline};
use crate::report::{Skipped, Standing};
use crate::score::Effect;
use crate::verdict::{Finding, Verdict};

/// How many characters the claim of a row may have.
const CLAIM: usize = 240;

/// A row. What says nothing is left out: there may be many of them.
#[derive(Serialize)]
pub(super) struct Row<'v> {
    name: &'v str,
    #[serde(skip_serializing_if = "str::is_empty")]
    harness: &'v str,
    standing: &'static str,
    file: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<String>,
    /// The checks that broke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<&'v str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'v [String],
    /// What else is to be seen at once, in a word or two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    badges: Vec<&'static str>,
}

impl<'v> Row<'v> {
    pub(super) fn of(verdict: &'v Verdict) -> Self {
        let broken = verdict.findings.iter().filter(|finding| finding.status == Status::Fail);
        let mut names: Vec<&str> = broken.map(|finding| finding.check.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        Self {
            name: &verdict.name,
            harness: &verdict.harness,
            standing: Standing::of(verdict).word(),
            file: &verdict.case.file,
            line: Some(verdict.case.line),
            score: Some(verdict.score.get()).filter(|_| verdict.errors.is_empty()),
            ms: Some((verdict.duration_ms * 10.0).round() / 10.0),
            claim: (!verdict.passed).then(|| cut(claim(verdict))),
            broken: names,
            tags: &verdict.tags,
            badges: badges(verdict),
        }
    }

    /// That of a trial that was not run.
    pub(super) fn of_skipped(skipped: &'v Skipped) -> Self {
        Self {
            name: &skipped.name,
            harness: "",
            standing: "skipped",
            file: &skipped.file,
            line: None,
            score: None,
            ms: None,
            claim: skipped.reason.clone().map(cut),
            broken: Vec::new(),
            tags: &[],
            badges: Vec::new(),
        }
    }
}

fn badges(verdict: &Verdict) -> Vec<&'static str> {
    let is_broken_gate = |finding: &Finding| finding.effect == Effect::Gate && finding.status == Status::Fail;
    let badges = [
        ("hard gate", verdict.findings.iter().any(is_broken_gate)),
        ("flaky", is_flaky(verdict)),
        ("as expected", verdict.passed && verdict.expected != Status::Pass),
        ("smoke", verdict.tier == Tier::Smoke),
    ];
    badges.into_iter().filter_map(|(badge, is_seen)| is_seen.then_some(badge)).collect()
}

/// The headline without its place: the page of the case shows it.
fn claim(verdict: &Verdict) -> String {
    let headline = headline(verdict);
    let places = [first_place(verdict), &verdict.case].map(|place| format!(" at {place}"));
    let claim = places.iter().find_map(|place| headline.strip_suffix(place.as_str()));
    claim.map(str::to_owned).unwrap_or(headline)
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(CLAIM) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}
