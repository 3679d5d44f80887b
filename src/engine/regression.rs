//! `summary_baseline`: the means of a suite against those of an earlier summary.

use crate::outcome::{Item, Outcome, State, Status, Violation};
use crate::place::{LoadError, LoadErrors};
use crate::score::written;
use crate::suite::SummaryBaseline;
use crate::verdict::Finding;
use crate::verdict::summary::{Group, SUMMARY_VERSION, Summary};
use crate::yaml::{Document, Node};

/// The check, as the suite's key.
const CHECK: &str = "summary_baseline";
/// A drop of exactly what is allowed must not fail on what subtracting binary fractions adds.
const EPSILON: f64 = 1e-9;

/// Where a summary comes from.
const HOW_TO_WRITE: &str = "a run with ARRAIGN_OUTPUT_JSON=path writes the summary that belongs here";

/// The means of a suite, by name; the overall one last.
type Means = [(&'static str, f64); 4];

/// What `summary_baseline` says of the suite's cases, whose means are `now`.
pub fn evaluate_summary_baseline(
    baseline: &SummaryBaseline,
    file: Result<&Document, LoadErrors>,
    now: &Group,
) -> Finding {
    let before = file.and_then(|document| group_of(document, &now.name).map_err(LoadErrors::from));
    match (before, means_of_group(now)) {
        (Err(errors), _) => unreadable_finding(baseline, &errors),
        (Ok(_), None) => nothing_to_compare(baseline, now),
        (Ok((before, then)), Some(means)) => compare_means(baseline, (&before, then), (now, means)),
    }
}

/// What the summary in `document` holds of the suite `name`: the only suite of a summary may have had another name.
fn group_of(document: &Document, name: &str) -> Result<(Group, Means), LoadError> {
    // A report of a run holds its summary beside its verdicts.
    let whole = document.root();
    let (root, below) = whole.get("summary").map_or((whole, ""), |summary| (summary, "/summary"));
    let version = root.get("schema_version").map(Node::decode::<u32>).transpose()?;
    if version != Some(SUMMARY_VERSION) {
        let error = root.error("this is no summary of a run that this version reads");
        return Err(error.help(HOW_TO_WRITE));
    }
    let summary: Summary = root.decode()?;
    let at = summary.suites.iter().position(|suite| suite.name == name);
    let at = at.or((summary.suites.len() == 1).then_some(0));
    let Some(at) = at else {
        let known: Vec<&str> = summary.suites.iter().map(|suite| suite.name.as_str()).collect();
        let known =
            if known.is_empty() { "no suite".to_owned() } else { format!("`{}`", known.join("`, `")) };
        return Err(root.error(format!("the summary does not hold the suite `{name}`; it has {known}")));
    };
    let before = summary.suites[at].clone();
    let node = whole.pointer(&format!("{below}/suites/{at}")).unwrap_or(root);
    let means = means_of_group(&before).ok_or_else(|| node.error("the summary lacks `axes` or `overall`"))?;
    Ok((before, means))
}

fn means_of_group(group: &Group) -> Option<Means> {
    let [groundedness, correctness, completeness] = group.axes?.by_name();
    Some([groundedness, correctness, completeness, ("overall", group.overall?)])
}

/// The mistake is shown where it stands; a file that is not there, where it is named.
fn unreadable_finding(baseline: &SummaryBaseline, errors: &LoadErrors) -> Finding {
    let found = Finding::empty(CHECK, &baseline.place);
    let Some(error) = errors.iter().next() else { return found };
    let at = error.place.locate();
    if at.text.is_empty() {
        let unfit = Some(format!("{}: {}", at.file, error.problem));
        return Finding { unfit, help: Some(HOW_TO_WRITE.to_owned()), ..found };
    }
    let help = error.help.clone().unwrap_or_else(|| HOW_TO_WRITE.to_owned());
    Finding { at, unfit: Some(error.problem.clone()), help: Some(help), ..found }
}

fn nothing_to_compare(baseline: &SummaryBaseline, now: &Group) -> Finding {
    let found = Finding::empty(CHECK, &baseline.place);
    if now.axes.is_none() {
        let unfit = "no case of the suite that ran is a golden row: there are no axes to compare".to_owned();
        return Finding { unfit: Some(unfit), ..found };
    }
    let unfit = "the means are not known: a case is undecided".to_owned();
    Finding { status: Status::Undecided, unfit: Some(unfit), ..found }
}

fn compare_means(baseline: &SummaryBaseline, before: (&Group, Means), now: (&Group, Means)) -> Finding {
    let (mut items, mut violations) = (Vec::new(), Vec::new());
    for ((axis, then), (_, score)) in before.1.into_iter().zip(now.1) {
        let fell = then - score > baseline.max_regression + EPSILON;
        let state = if fell { State::Violated } else { State::Held };
        items.push(Item::new(format!("{axis}: {}, was {}", written(score), written(then)), state));
        violations.extend(fell.then(|| {
            drop_violation(baseline, axis, then, score)
                .help(regression_help(before.0, now.0))
                .resolve(baseline.place.locate())
        }));
    }
    let outcome = Outcome::of_items(items, Vec::new());
    Finding {
        status: if violations.is_empty() { Status::Pass } else { Status::Fail },
        score: outcome.score,
        items: outcome.items,
        losses: outcome.losses,
        violations,
        ..Finding::empty(CHECK, &baseline.place)
    }
}

fn drop_violation(baseline: &SummaryBaseline, axis: &str, then: f64, now: f64) -> Violation {
    let most = written(baseline.max_regression);
    let drop = written(then - now);
    let (least, then) = (written(then - baseline.max_regression), written(then));
    Violation {
        value: serde_json::Number::from_f64(now).map(serde_json::Value::Number),
        constraint: Some(format!("max_regression: {most}")),
        ..Violation::new(format!("{axis} fell by {drop}, more than `max_regression: {most}`"))
    }
    .expected(format!("a mean of {least} or more (it was {then})"), written(now))
}

fn regression_help(before: &Group, now: &Group) -> String {
    if before.cases != now.cases {
        return format!(
            "the summary is of {} cases and this run of {}: compare like with like, or write it anew",
            before.cases, now.cases
        );
    }
    "find what changed, or write the summary anew with ARRAIGN_OUTPUT_JSON where the change is meant"
        .to_owned()
}
