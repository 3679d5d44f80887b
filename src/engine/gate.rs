//! The verdict of a suite's gate: the mean score of its cases, compared with a threshold.

use serde::{Deserialize, Serialize};

use crate::json::{Json, JsonNumber};
use crate::outcome::{
    Item, LocatedViolation, Loss, Score, State, Status, Violation, count_noun, count_to_f64, reaches,
};
use crate::place::Location;
use crate::score::{Card, write_apart, written};
use crate::suite::SuiteGate;
use crate::verdict::summary::Row;
use crate::verdict::{Finding, Verdict};

/// The name of the check of the mean, which is the suite's key.
pub(super) const GATE: &str = "gate";
/// The largest number of undecided cases that a message names.
const MAX_NAMES: usize = 5;

/// The requirements of a gate for all of its cases together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRule {
    /// The place of the gate.
    pub at: Location,
    /// The least mean score of the cases, in 0..=1.
    pub mean: Option<f64>,
}

impl From<&SuiteGate> for GateRule {
    fn from(gate: &SuiteGate) -> Self {
        Self { at: gate.place.locate(), mean: gate.mean }
    }
}

/// One case of a gated suite.
#[derive(Debug, Clone)]
pub struct MeasuredCase {
    /// The name of the case's trial.
    pub name: String,
    /// The place of the case.
    pub at: Location,
    /// The scores and figures of the case.
    pub row: Row,
    /// Why the case was not evaluated: its error, or the missing evidence.
    pub problem: Option<String>,
}

impl MeasuredCase {
    /// Takes from `verdict` what a gate needs.
    pub fn from_verdict(verdict: &Verdict) -> Self {
        let error = verdict.errors.first().map(|error| first_line(&error.message));
        let unfit = verdict.findings.iter().find_map(|finding| finding.unfit.as_deref()).map(first_line);
        Self {
            name: verdict.name.clone(),
            at: verdict.case.clone(),
            row: Row::from_verdict(verdict),
            problem: error.or(unfit).map(str::to_owned),
        }
    }

    /// Returns the same case without a score.
    pub fn without_score(self) -> Self {
        Self { row: self.row.without_score(), ..self }
    }

    fn score_or_zero(&self) -> f64 {
        self.row.score.unwrap_or(0.0)
    }

    fn to_item(&self) -> Item {
        let state = match (self.row.score, self.row.passed) {
            (None, _) => State::Open,
            (_, true) => State::Held,
            (_, false) => State::Violated,
        };
        let score = self.row.score.map_or("no score".to_owned(), written);
        let item = Item::new(format!("`{}`: {score}", self.name), state);
        Item { note: self.problem.clone(), ..item }
    }

    /// Returns the points that the case takes from the mean, with its place and the reason.
    fn to_loss(&self, weight: f64) -> Loss {
        let axes = self.row.golden.as_ref().and_then(|row| row.axes);
        let axes = axes.map(|axes| axes.by_name().map(|(name, score)| format!("{name} {}", written(score))));
        let why = self.problem.clone().or_else(|| axes.map(|axes| axes.join(", ")));
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let name = &self.name;
        let score = written(self.score_or_zero());
        Loss {
            points: (1.0 - self.score_or_zero()) * weight,
            why: format!("`{name}` scores {score} at {}{why}", self.at),
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns the verdict of the gate's trial `name`: the comparison of the mean of `cases` with the gate, and of all means with
/// an earlier summary (`baseline`).
pub fn evaluate_gate(
    gate: &GateRule,
    name: &str,
    cases: &[MeasuredCase],
    baseline: Option<Finding>,
) -> Verdict {
    let card = gate.mean.map(|least| mean_card(least, cases));
    let mean = card.as_ref().map(|card| mean_finding(card, &gate.at, cases));
    let findings: Vec<Finding> = mean.into_iter().chain(baseline).collect();
    // The worst finding decides; a gate without any has measured nothing.
    let status = findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Error);
    let score = findings.first().map_or(Score::ZERO, |finding| finding.score);
    Verdict {
        status,
        passed: status == Status::Pass,
        score,
        findings,
        scorecards: card.into_iter().collect(),
        ..Verdict::empty(name, gate.at.clone())
    }
}

/// Returns the mean of the cases as a scorecard in which each case has the same weight.
fn mean_card(least: f64, cases: &[MeasuredCase]) -> Card {
    let weight = 1.0 / count_to_f64(cases.len().max(1));
    let mut losses: Vec<Loss> = cases.iter().map(|case| case.to_loss(weight)).collect();
    // The cases that cost most come first, because a reader starts with them.
    losses.retain(|loss| loss.points > 0.0);
    losses.sort_by(|one, other| other.points.total_cmp(&one.points));
    let mean = cases.iter().map(MeasuredCase::score_or_zero).sum::<f64>() * weight;
    let undecided = undecided_reason(cases);
    Card {
        name: GATE.to_owned(),
        run: 0,
        score: undecided.is_none().then_some(mean),
        full: 1.0,
        threshold: GATE.to_owned(),
        least,
        passed: undecided.is_none() && reaches(mean, least),
        not_computed: undecided,
        parts: Vec::new(),
        losses,
    }
}

/// Returns why there is no mean. An undecided case has no score, and counting it as 0 would be a guess.
fn undecided_reason(cases: &[MeasuredCase]) -> Option<String> {
    let open: Vec<&str> =
        cases.iter().filter(|case| case.row.score.is_none()).map(|case| case.name.as_str()).collect();
    // A gate of hundreds of cases would fill the screen with names.
    let more = if open.len() > MAX_NAMES { ", ..." } else { "" };
    let names = open[..open.len().min(MAX_NAMES)].join("`, `");
    let count = open.len();
    (count > 0)
        .then(|| format!("the mean is unknown: {count} of {} cases undecided (`{names}`{more})", cases.len()))
}

fn mean_finding(card: &Card, at: &Location, cases: &[MeasuredCase]) -> Finding {
    let items = cases.iter().map(MeasuredCase::to_item).collect();
    let found = Finding { items, ..Finding::empty_at(GATE, at.clone()) };
    // A mean over the other cases would rise when a bad case loses its evidence.
    if card.not_computed.is_some() {
        let help = "record the missing evidence, or remove these cases from the suite".to_owned();
        let unfit = card.not_computed.clone();
        return Finding { status: Status::Undecided, unfit, help: Some(help), ..found };
    }
    let missed = (!card.passed).then(|| mean_violation(card, at.clone(), cases));
    Finding {
        status: if card.passed { Status::Pass } else { Status::Fail },
        score: card.share(),
        violations: missed.into_iter().collect(),
        losses: card.losses.clone(),
        ..found
    }
}

fn mean_violation(card: &Card, at: Location, cases: &[MeasuredCase]) -> LocatedViolation {
    let [mean, least] = write_apart(card.share().get(), card.least);
    let count = count_noun(cases.len(), "case");
    Violation {
        value: card.score.and_then(JsonNumber::from_f64).map(Json::Number),
        constraint: Some(format!("mean: {least}")),
        ..Violation::new(format!("the mean score of {count} is {mean}, below `mean: {least}`"))
    }
    .help("start with the cases that lost most")
    .resolve(at)
}
