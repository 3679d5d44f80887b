//! One row in the list of cases.

use std::collections::BTreeMap;

use serde::Serialize;

use super::figures::AgentFigures;
use crate::case::Tier;
use crate::json::JsonMap;
use crate::outcome::Status;
use crate::report::comparison::is_flaky;
use crate::report::history::RecentResults;
use crate::report::pinned::list_violated_checks;
use crate::report::plain::truncate_text;
use crate::report::terminal::{find_first_place, render_headline};
use crate::report::{SkippedTrial, TrialResult};
use crate::verdict::{Finding, Verdict};

/// The largest length of a row's claim, in characters.
const MAX_CLAIM_CHARS: usize = 240;
/// The largest number of a case's metadata that are filters, and the largest length of one, in characters.
const MAX_METADATA: usize = 10;
const MAX_METADATA_CHARS: usize = 80;

/// A row of the list. Empty fields are omitted, since a page may have thousands of rows.
#[derive(Serialize)]
pub(super) struct CaseRow<'v> {
    name: &'v str,
    #[serde(skip_serializing_if = "str::is_empty")]
    harness: &'v str,
    /// The variant of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'v str>,
    standing: &'static str,
    file: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<AgentFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<String>,
    /// What the case says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The metadata of the case, as texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<&'v str, String>,
    /// The checks that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<&'v str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'v [String],
    /// The last results of the trial in many runs, as letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    past: Option<&'v str>,
    /// Labels beside the name: `hard gate`, `flaky`, `as expected`, `pinned`, `smoke`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    badges: Vec<&'static str>,
}

impl<'v> CaseRow<'v> {
    pub(super) fn from_verdict(verdict: &'v Verdict, history: Option<&'v RecentResults>) -> Self {
        Self {
            name: &verdict.name,
            harness: &verdict.harness,
            variant: verdict.variant.as_deref(),
            standing: TrialResult::from_verdict(verdict).as_str(),
            file: &verdict.case.file,
            line: Some(verdict.case.line),
            // Without a scorecard, the figure is the share of the checks that hold, and no score. A trial that broke off has a
            // score of zero, which was never computed.
            score: Some(verdict.score.get())
                .filter(|_| verdict.errors.is_empty() && !verdict.scorecards.is_empty()),
            agent: (!verdict.runs.is_empty()).then(|| AgentFigures::from_runs(&verdict.runs)),
            claim: (!verdict.passed).then(|| truncate_text(&shorten_headline(verdict), MAX_CLAIM_CHARS)),
            description: verdict.description.as_deref().map(|text| truncate_text(text, MAX_CLAIM_CHARS)),
            metadata: list_metadata(verdict),
            broken: list_violated_checks(verdict),
            tags: &verdict.tags,
            past: history.and_then(|history| history.find(verdict)),
            badges: list_badges(verdict),
        }
    }

    /// The row of a skipped trial.
    pub(super) fn from_skipped(skipped: &'v SkippedTrial) -> Self {
        Self {
            name: &skipped.name,
            harness: "",
            variant: None,
            standing: "skipped",
            file: &skipped.file,
            line: None,
            score: None,
            agent: None,
            claim: skipped.reason.as_deref().map(|reason| truncate_text(reason, MAX_CLAIM_CHARS)),
            description: None,
            metadata: BTreeMap::new(),
            broken: Vec::new(),
            tags: &[],
            past: None,
            badges: Vec::new(),
        }
    }
}

/// Returns the first entries of the metadata, each as a short text.
fn list_metadata(verdict: &Verdict) -> BTreeMap<&str, String> {
    let entries = verdict.metadata.iter().flat_map(JsonMap::iter);
    let texts = entries.take(MAX_METADATA).map(|(key, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (&**key, truncate_text(&text, MAX_METADATA_CHARS))
    });
    texts.collect()
}

fn list_badges(verdict: &Verdict) -> Vec<&'static str> {
    let badges = [
        ("hard gate", verdict.findings.iter().any(Finding::is_broken_gate)),
        ("flaky", is_flaky(verdict)),
        ("as expected", verdict.passed && verdict.expected != Status::Pass),
        ("pinned", verdict.pinned > 0),
        ("quarantine over", verdict.quarantine.as_ref().is_some_and(|quarantine| quarantine.lapse.is_some())),
        ("smoke", verdict.tier == Tier::Smoke),
    ];
    badges.into_iter().filter_map(|(badge, is_seen)| is_seen.then_some(badge)).collect()
}

/// Returns the headline without its place, which the page of the case shows.
fn shorten_headline(verdict: &Verdict) -> String {
    let headline = render_headline(verdict);
    let places = [find_first_place(verdict), &verdict.case].map(|place| format!(" at {place}"));
    let claim = places.iter().find_map(|place| headline.strip_suffix(place.as_str()));
    claim.map(str::to_owned).unwrap_or(headline)
}
