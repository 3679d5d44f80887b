//! `summary_baseline`: compares the means of a suite with those of an earlier summary.

use serde::{Deserialize, Serialize};

use crate::json::{Json, JsonNumber};
use crate::outcome::{Item, Outcome, Status, Violation};
use crate::place::{LoadError, LoadErrors, Location};
use crate::score::written;
use crate::suite::SummaryBaseline;
use crate::verdict::Finding;
use crate::verdict::summary::{Group, SUMMARY_VERSION, Summary};
use crate::yaml::{Document, Node};

/// The name of the check, which is the suite's key.
const CHECK: &str = "summary_baseline";
/// The tolerance of the limit: a drop of exactly the allowed size must not fail because of a rounding error.
const EPSILON: f64 = 1e-9;

/// How a summary is written.
const HOW_TO_WRITE: &str = "a run with ARRAIGN_OUTPUT_JSON=path writes such a summary";

/// The means of a suite by name, the overall mean last.
type Means = [(&'static str, f64); 4];

/// The means of a suite in an earlier summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierMeans {
    /// The place of the setting.
    at: Location,
    max_regression: f64,
    before: Group,
}

impl EarlierMeans {
    /// Reads the means of `suite` from the summary in `file`. The error is the finding of a summary that cannot be read.
    pub fn read(
        baseline: &SummaryBaseline,
        file: Result<&Document, LoadErrors>,
        suite: &str,
    ) -> Result<Self, Box<Finding>> {
        let before = file.and_then(|document| find_suite(document, suite).map_err(LoadErrors::from));
        let before = before.map_err(|errors| unreadable_finding(baseline, &errors))?;
        Ok(Self { at: baseline.place.locate(), max_regression: baseline.max_regression, before })
    }

    /// Compares the means of the suite, which are in `now`, with the earlier ones.
    pub fn compare(&self, now: &Group) -> Finding {
        match (list_means(&self.before), list_means(now)) {
            (Some(earlier), Some(means)) => self.compare_means(earlier, (now, means)),
            _ => incomparable_finding(&self.at, now),
        }
    }

    fn compare_means(&self, earlier: Means, now: (&Group, Means)) -> Finding {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for ((axis, earlier), (_, score)) in earlier.into_iter().zip(now.1) {
            // The means are sums of fractions, so a fall counts only beyond their rounding errors.
            let fell = earlier - score > self.max_regression + EPSILON;
            items.push(Item::tested(format!("{axis}: {}, was {}", written(score), written(earlier)), !fell));
            violations.extend(fell.then(|| {
                drop_violation(self.max_regression, axis, earlier, score)
                    .help(regression_help(&self.before, now.0))
                    .resolve(self.at.clone())
            }));
        }
        // The violations are resolved already, so the outcome only gives the score of the items.
        let outcome = Outcome::of_items(items, Vec::new());
        Finding {
            status: if violations.is_empty() { Status::Pass } else { Status::Fail },
            score: outcome.score,
            items: outcome.items,
            losses: outcome.losses,
            violations,
            ..Finding::empty_at(CHECK, self.at.clone())
        }
    }
}

/// Returns the suite `name` of the summary in `document`. If the summary has only one suite, its name does not matter,
/// because the file of the suite may have been renamed.
fn find_suite(document: &Document, name: &str) -> Result<Group, LoadError> {
    // The file can be a summary, or a report of a run, which contains the summary beside the verdicts.
    let whole = document.root();
    let (root, below) = whole.get("summary").map_or((whole, ""), |summary| (summary, "/summary"));
    let version = root.get("schema_version").map(Node::decode::<u32>).transpose()?;
    if version != Some(SUMMARY_VERSION) {
        let problem = format!("not a summary of a run (expected `schema_version: {SUMMARY_VERSION}`)");
        return Err(root.error(problem).help(HOW_TO_WRITE));
    }
    let summary: Summary = root.decode()?;
    let at = summary.suites.iter().position(|suite| suite.name == name);
    let at = at.or((summary.suites.len() == 1).then_some(0));
    let Some(at) = at else { return Err(root.error(unknown_suite(&summary, name))) };
    let before = summary.suites[at].clone();
    let node = whole.pointer(&format!("{below}/suites/{at}")).unwrap_or(root);
    list_means(&before).ok_or_else(|| node.error("missing `axes` or `overall`"))?;
    Ok(before)
}

fn unknown_suite(summary: &Summary, name: &str) -> String {
    let known: Vec<&str> = summary.suites.iter().map(|suite| suite.name.as_str()).collect();
    let known = if known.is_empty() { "no suite".to_owned() } else { format!("`{}`", known.join("`, `")) };
    format!("the summary does not contain the suite `{name}`, but {known}")
}

fn list_means(group: &Group) -> Option<Means> {
    let [groundedness, correctness, completeness] = group.axes?.by_name();
    Some([groundedness, correctness, completeness, ("overall", group.overall?)])
}

/// Reports a summary that cannot be read: at the mistake in its file, or at the setting if there is no such file.
fn unreadable_finding(baseline: &SummaryBaseline, errors: &LoadErrors) -> Box<Finding> {
    let empty = Finding::empty(CHECK, &baseline.place);
    let Some(error) = errors.iter().next() else { return Box::new(empty) };
    let at = error.place.locate();
    // An error about the whole file has no line, so the finding stands at the setting.
    if at.text.is_empty() {
        let unfit = Some(format!("{}: {}", at.file, error.problem));
        return Box::new(Finding { unfit, help: Some(HOW_TO_WRITE.to_owned()), ..empty });
    }
    let help = error.help.clone().unwrap_or_else(|| HOW_TO_WRITE.to_owned());
    Box::new(Finding { at, unfit: Some(error.problem.clone()), help: Some(help), ..empty })
}

/// Reports a suite without means. Without a golden row, the setting makes no sense and is an error.
fn incomparable_finding(at: &Location, now: &Group) -> Finding {
    let empty = Finding::empty_at(CHECK, at.clone());
    // Without golden rows there are no axes now and there never will be, which is a mistake in the settings.
    if now.axes.is_none() {
        let unfit = "no case that ran is a golden row: there are no axes to compare".to_owned();
        return Finding { unfit: Some(unfit), ..empty };
    }
    let unfit = "the means are unknown: a case is undecided".to_owned();
    Finding { status: Status::Undecided, unfit: Some(unfit), ..empty }
}

fn drop_violation(max_regression: f64, axis: &str, earlier: f64, now: f64) -> Violation {
    let most = written(max_regression);
    let drop = written(earlier - now);
    let least = written(earlier - max_regression);
    let earlier = written(earlier);
    Violation {
        value: JsonNumber::from_f64(now).map(Json::Number),
        constraint: Some(format!("max_regression: {most}")),
        ..Violation::new(format!("{axis} fell by {drop}, more than `max_regression: {most}`"))
    }
    .expected(format!("a mean of {least} or more (it was {earlier})"), written(now))
}

fn regression_help(before: &Group, now: &Group) -> String {
    if before.cases != now.cases {
        return format!(
            "the summary covers {} cases and this run {}: run the same cases, or write a new summary",
            before.cases, now.cases
        );
    }
    "find the cause, or write a new summary with ARRAIGN_OUTPUT_JSON if the change is intended".to_owned()
}
