//! The figures of each trial over its runs.

use serde::Serialize;

use super::{History, PastPoint, PastResult, PastTime, PastTrial};
use crate::outcome::count_to_f64;
use crate::score::statistics::{Interval, median};

/// The version of the JSON form.
const REPORT_VERSION: u32 = 1;

/// The confidence level of the intervals.
const LEVEL: f64 = 0.95;

/// The number of results that are listed one by one.
const MOST_RECENT: usize = 60;

/// The fewest values from which a trend is computed.
const FEWEST_FOR_TREND: usize = 6;

/// The history of the trials of many runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HistoryReport {
    /// The version of the JSON form.
    #[cfg_attr(test, schemars(extend("const" = REPORT_VERSION)))]
    pub schema_version: u32,
    /// The number of lines that were read.
    pub lines: usize,
    /// The number of lines that were cut off, and are left out.
    pub torn: usize,
    /// The number of runs with one of the trials.
    pub runs: usize,
    /// The trials by name.
    pub cases: Vec<CaseHistory>,
}

/// The history of one trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaseHistory {
    /// The harness that ran the trial.
    pub harness: String,
    /// The name of the trial.
    pub trial: String,
    /// The variant of the agent; empty without one.
    pub variant: String,
    /// The number of runs. Of several attempts in one run, the last one counts.
    pub runs: usize,
    /// The number of runs that passed.
    pub passed: usize,
    /// The number of runs that failed.
    pub failed: usize,
    /// The number of runs that were undecided.
    pub undecided: usize,
    /// The number of runs that ended with an error.
    pub errors: usize,
    /// The share of runs that passed among those that passed or failed. `null` without any.
    pub pass_rate: Option<f64>,
    /// The 95 % confidence interval of the true share (Wilson).
    pub interval: Option<Interval>,
    /// The number of times that a run passed and the one before it failed, or the other way round, while the case was the same.
    pub flips: usize,
    /// The flips as a share of all pairs of neighbours. `null` without a pair.
    pub flip_rate: Option<f64>,
    /// The number of passed runs since the last run that did not pass.
    pub passes_in_a_row: usize,
    /// The last time that the result changed, also with a change of the case.
    pub last_change: Option<LastChange>,
    /// How the cost has changed, in US dollars.
    pub cost_usd: Option<Trend>,
    /// How the duration of the agent has changed, in milliseconds.
    pub duration_ms: Option<Trend>,
    /// The last 60 runs, the latest at the end.
    pub recent: Vec<RecentResult>,
}

/// A change of a trial's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LastChange {
    /// The end of the first trial with the new result, in UTC.
    pub time: String,
    /// The run.
    pub run: String,
    /// The commit; empty if it is not known.
    pub commit: String,
    /// The result before.
    pub from: PastResult,
    /// The new result.
    pub to: PastResult,
    /// Whether the case was another one before: then it is the case that changed, and perhaps not the agent.
    pub case_changed: bool,
}

/// The change of a figure: the median of the newer half of the runs beside that of the older half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trend {
    /// The median of the older half.
    pub before: f64,
    /// The median of the newer half.
    pub after: f64,
    /// The change as a share of the older figure: 0.1 for ten percent more. `null` if that is 0.
    pub change: Option<f64>,
}

/// One of the last runs of a trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecentResult {
    /// The end of the trial, in UTC.
    pub time: String,
    /// The result.
    pub verdict: PastResult,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The duration of the agent in milliseconds.
    pub duration_ms: Option<f64>,
}

impl HistoryReport {
    pub(super) fn from_history(history: &History, filter: Option<&str>, since: Option<PastTime>) -> Self {
        let name_of = |trial: &PastTrial| history.names.get(trial.name);
        let wanted =
            history.trials.iter().filter(|trial| filter.is_none_or(|text| name_of(trial).contains(text)));
        let mut seen_runs = vec![false; history.runs.names.len()];
        let mut last_of_run = vec![0; history.runs.names.len()];
        let mut cases: Vec<CaseHistory> = wanted
            .filter_map(|trial| {
                let points = keep_last_attempts(trial, since, &mut last_of_run);
                for point in &points {
                    seen_runs[point.run as usize] = true;
                }
                CaseHistory::from_points(history, trial, &points)
            })
            .collect();
        cases.sort_by(|one, other| (&one.trial, &one.harness).cmp(&(&other.trial, &other.harness)));
        Self {
            schema_version: REPORT_VERSION,
            lines: history.lines,
            torn: history.torn,
            runs: seen_runs.iter().filter(|seen| **seen).count(),
            cases,
        }
    }
}

/// Returns the runs of a trial from `since` on, by time. Of several attempts in one run, the last one counts.
///
/// `last_of_run` has a place for each run of the history, which is reused from trial to trial.
fn keep_last_attempts(
    trial: &PastTrial,
    since: Option<PastTime>,
    last_of_run: &mut [usize],
) -> Vec<PastPoint> {
    let mut points: Vec<PastPoint> =
        trial.points.iter().filter(|point| since.is_none_or(|since| point.time >= since)).copied().collect();
    // Stable: of two attempts in one second, the later line is the later attempt.
    points.sort_by_key(|point| point.time);
    for (index, point) in points.iter().enumerate() {
        last_of_run[point.run as usize] = index;
    }
    let mut index = 0;
    points.retain(|point| {
        index += 1;
        last_of_run[point.run as usize] == index - 1
    });
    points
}

impl CaseHistory {
    /// Computes the figures of the runs `points`, which are sorted by time. `None` without a run.
    fn from_points(history: &History, trial: &PastTrial, points: &[PastPoint]) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let count = |result: PastResult| points.iter().filter(|point| point.result == result).count();
        let [passed, failed, undecided, errors] =
            [PastResult::Pass, PastResult::Fail, PastResult::Undecided, PastResult::Error].map(count);
        let decided = passed + failed;
        let bounded = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let pairs: Vec<bool> = list_pairs(points).collect();
        let flips = pairs.iter().filter(|flips| **flips).count();
        let share = |part: usize, whole: usize| {
            (whole > 0).then(|| round_figure(count_to_f64(part) / count_to_f64(whole)))
        };
        let last_passes = points.iter().rev().take_while(|point| point.result == PastResult::Pass);
        let recent = points.iter().skip(points.len().saturating_sub(MOST_RECENT));
        Some(Self {
            harness: history.harnesses.get(trial.harness).to_owned(),
            trial: history.names.get(trial.name).to_owned(),
            variant: trial.variant.to_string(),
            runs: points.len(),
            passed,
            failed,
            undecided,
            errors,
            pass_rate: share(passed, decided),
            interval: (decided > 0).then(|| Interval::around_rate(bounded(passed), bounded(decided), LEVEL)),
            flips,
            flip_rate: share(flips, pairs.len()),
            passes_in_a_row: last_passes.count(),
            last_change: find_last_change(history, points),
            cost_usd: find_trend(points.iter().map(|point| point.cost_usd)),
            duration_ms: find_trend(points.iter().map(|point| point.duration_ms)),
            recent: recent.map(RecentResult::from_point).collect(),
        })
    }

    /// Renders the last results as letters, the latest at the end: `..F.`.
    pub fn render_strip(&self, most: usize) -> String {
        let recent = self.recent.iter().skip(self.recent.len().saturating_sub(most));
        recent.map(|result| result.verdict.as_letter()).collect()
    }
}

/// Returns for each two neighbours among the decided runs of the same case whether their results differ.
fn list_pairs(points: &[PastPoint]) -> impl Iterator<Item = bool> + '_ {
    let decided = points.iter().filter_map(|point| Some((point.result.passed()?, point.case_hash)));
    let next = decided.clone().skip(1);
    // A case that was edited between two runs is another case.
    decided.zip(next).filter(|((_, one), (_, other))| one == other).map(|((one, _), (other, _))| one != other)
}

fn find_last_change(history: &History, points: &[PastPoint]) -> Option<LastChange> {
    let at = points.windows(2).rposition(|pair| pair[0].result != pair[1].result)?;
    let before = &points[at];
    let after = &points[at + 1];
    Some(LastChange {
        time: after.time.render(),
        run: history.runs.get(after.run).to_owned(),
        commit: history.commits.get(after.commit).to_owned(),
        from: before.result,
        to: after.result,
        case_changed: before.case_hash != after.case_hash,
    })
}

/// Compares the newer half of the known values with the older half. `None` for fewer than [`FEWEST_FOR_TREND`] values.
fn find_trend(values: impl Iterator<Item = f32>) -> Option<Trend> {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).map(f64::from).collect();
    if values.len() < FEWEST_FOR_TREND {
        return None;
    }
    let (older, newer) = values.split_at(values.len() / 2);
    let before = median(older)?;
    let after = median(newer)?;
    let change = (before > 0.0).then(|| round_figure((after - before) / before));
    Some(Trend { before: round_figure(before), after: round_figure(after), change })
}

impl RecentResult {
    fn from_point(point: &PastPoint) -> Self {
        let known = |value: f32| value.is_finite().then(|| round_figure(f64::from(value)));
        Self {
            time: point.time.render(),
            verdict: point.result,
            cost_usd: known(point.cost_usd),
            duration_ms: known(point.duration_ms),
        }
    }
}

/// Rounds to six decimals, which drops the digits that a narrow float does not have.
fn round_figure(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The history of one trial, with a line a day: its result, and the hash of its case.
    fn past(results: &[(&str, &str)]) -> CaseHistory {
        let mut history = History::default();
        for (day, (verdict, hash)) in results.iter().enumerate() {
            let line = super::super::tests::line(
                &format!("r{day}"),
                &format!("2026-11-{:02}T00:00:00Z", day + 1),
                verdict,
            );
            let cost = day + 1;
            let line =
                line.replace(r#""score":1"#, &format!(r#""score":1,"cost_usd":{cost},"case_hash":"{hash}""#));
            history.add_line(&line).expect("a line");
        }
        history.summarize(None, None).cases.remove(0)
    }

    #[test]
    fn a_case_has_a_share_an_interval_and_its_last_change() {
        let same = "00000001aaaaaaaa";
        let results = ["pass", "pass", "fail", "error", "pass", "pass", "pass"].map(|result| (result, same));
        let case = past(&results);
        assert_eq!((case.runs, case.passed, case.failed, case.undecided, case.errors), (7, 5, 1, 0, 1));
        assert_eq!(case.pass_rate, Some(0.833_333));
        assert_eq!(case.interval, Some(Interval::around_rate(5, 6, 0.95)));
        // The error is no result: pass, pass, fail, pass, pass, pass has five pairs.
        assert_eq!((case.flips, case.flip_rate, case.passes_in_a_row), (2, Some(0.4), 3));
        let change = case.last_change.as_ref().expect("a change");
        assert_eq!((change.from, change.to, &*change.commit), (PastResult::Error, PastResult::Pass, "c-r4"));
        assert_eq!((&*change.time, change.case_changed), ("2026-11-05T00:00:00Z", false));
        assert_eq!(case.render_strip(5), "FE...");
        // 1, 2, 3 and then 4, 5, 6, 7.
        assert_eq!(case.cost_usd, Some(Trend { before: 2.0, after: 5.5, change: Some(1.75) }));
        assert_eq!(case.duration_ms, None);
    }

    #[test]
    fn a_case_that_was_edited_does_not_flip() {
        let case = past(&[("fail", "00000001"), ("pass", "00000002"), ("pass", "00000002")]);
        assert_eq!((case.flips, case.flip_rate), (0, Some(0.0)));
        assert!(case.last_change.expect("a change").case_changed);
    }

    #[test]
    fn the_last_attempt_of_a_run_counts_in_whatever_order_the_lines_are() {
        let mut history = History::default();
        for (run, time, verdict) in [
            ("b", "02", "pass"),
            ("a", "01", "fail"),
            ("b", "03", "fail"),
            ("a", "01", "pass"),
            ("b", "02", "pass"),
        ] {
            let line = super::super::tests::line(run, &format!("2026-11-{time}T00:00:00Z"), verdict);
            history.add_line(&line).expect("a line");
        }
        let report = history.summarize(None, None);
        assert_eq!((report.lines, report.runs), (5, 2));
        assert_eq!(report.cases[0].render_strip(9), ".F");
        let since = PastTime::parse("2026-11-02T00:00:00Z");
        assert_eq!(history.summarize(None, since).cases[0].render_strip(9), "F");
        assert!(history.summarize(Some("other"), None).cases.is_empty());
    }
}
