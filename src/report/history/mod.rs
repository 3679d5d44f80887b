//! The history of trials over many runs: how often each passes, when that changed, and what it costs.
//!
//! A history is a file of lines, `history.jsonl`, to which every process of a run appends one line for each trial. It has no
//! index and no server, and is read in one pass.

mod case;
mod leavers;
mod page;

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

pub use self::case::{CaseHistory, HistoryReport, LastChange, RecentResult, Trend};
pub use self::page::render_page;
use super::render_utc;
use crate::case::Day;
use crate::json::{self, Json, JsonError, JsonObject};
use crate::outcome::count_to_f64;
use crate::report::TrialResult;
use crate::verdict::{RunSummary, Verdict};

/// The version of a line. It changes when a field changes its meaning or is removed.
const LINE_VERSION: u32 = 1;

/// One line of a history: a trial in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryLine<'t> {
    /// The version of the line.
    pub schema_version: u32,
    /// The id of the run.
    #[serde(borrow)]
    pub run: Cow<'t, str>,
    /// The commit of the repository; empty without one.
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub commit: Cow<'t, str>,
    /// The end of the trial in UTC: `2026-11-22T03:20:03Z`.
    #[serde(borrow)]
    pub time: Cow<'t, str>,
    /// The harness that ran the trial.
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub harness: Cow<'t, str>,
    /// The name of the trial.
    #[serde(borrow)]
    pub trial: Cow<'t, str>,
    /// The variant of the agent; empty without one.
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub variant: Cow<'t, str>,
    /// The result. A quarantined failure is a failure.
    pub verdict: PastResult,
    /// The score of the trial.
    pub score: f64,
    /// The cost of all runs of the trial in US dollars, if each records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The mean duration of the agent in milliseconds, if each run records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// A hash of the case as it is written.
    #[serde(borrow, default, skip_serializing_if = "str::is_empty")]
    pub case_hash: Cow<'t, str>,
}

/// The keys of a line.
const KEYS: [&str; 12] = [
    "schema_version",
    "run",
    "commit",
    "time",
    "harness",
    "trial",
    "variant",
    "verdict",
    "score",
    "cost_usd",
    "duration_ms",
    "case_hash",
];

/// The result of a trial in an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PastResult {
    /// The trial passed.
    Pass,
    /// The trial failed.
    Fail,
    /// The evidence did not decide a check.
    Undecided,
    /// The trial could not be evaluated.
    Error,
}

impl PastResult {
    fn from_verdict(verdict: &Verdict) -> Self {
        match TrialResult::without_quarantine(verdict) {
            TrialResult::Passed => Self::Pass,
            TrialResult::Failed | TrialResult::Quarantined => Self::Fail,
            TrialResult::Undecided => Self::Undecided,
            TrialResult::Error => Self::Error,
        }
    }

    /// Returns the letter of the result in a strip: `.` for a pass.
    pub fn as_letter(self) -> char {
        match self {
            Self::Pass => '.',
            Self::Fail => 'F',
            Self::Undecided => '?',
            Self::Error => 'E',
        }
    }

    /// Returns the result in a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
            Self::Error => "error",
        }
    }

    /// Whether the trial passed; `None` if that was not decided.
    fn passed(self) -> Option<bool> {
        match self {
            Self::Pass => Some(true),
            Self::Fail => Some(false),
            Self::Undecided | Self::Error => None,
        }
    }
}

impl<'t> HistoryLine<'t> {
    /// Describes the trial of `verdict` in the run `run`, which ended at `time`.
    pub fn from_verdict(verdict: &'t Verdict, run: &'t str, commit: &'t str, time: SystemTime) -> Self {
        Self::at_time(verdict, run, commit, format!("{}Z", render_utc(time)))
    }

    fn at_time(verdict: &'t Verdict, run: &'t str, commit: &'t str, time: String) -> Self {
        let runs = &verdict.runs;
        let costs = sum_known(runs, |run| run.cost_usd);
        let times = sum_known(runs, |run| run.duration_ms);
        Self {
            schema_version: LINE_VERSION,
            run: run.into(),
            commit: commit.into(),
            time: time.into(),
            harness: verdict.harness.as_str().into(),
            trial: verdict.name.as_str().into(),
            variant: verdict.variant.as_deref().unwrap_or_default().into(),
            verdict: PastResult::from_verdict(verdict),
            score: verdict.score.get(),
            cost_usd: costs,
            duration_ms: times.map(|time| time / count_to_f64(runs.len())),
            case_hash: verdict.case_hash.as_deref().unwrap_or_default().into(),
        }
    }

    /// Renders the line, without its line break.
    pub fn render(&self) -> Result<Vec<u8>, JsonError> {
        json::to_vec(self)
    }

    /// Parses a line.
    ///
    /// A line as this version writes it is read straight into the struct, without a tree of its values. All others are read
    /// once more with the rules of every other file: keys of later versions are left out, a key that comes twice is an error,
    /// and an error says whether the text or its values are wrong.
    fn parse(line: &'t str) -> Result<Self, JsonError> {
        Self::parse_written(line).map_or_else(|| Self::parse_foreign(line), Ok)
    }

    /// Parses a line that this version has written. `None` for any other line.
    fn parse_written(line: &'t str) -> Option<Self> {
        // serde_json takes a list for a struct.
        line.starts_with('{').then(|| serde_json::from_str(line).ok())?
    }

    fn parse_foreign(line: &str) -> Result<Self, JsonError> {
        let mut object: JsonObject = json::from_str(line)?;
        object.retain(|key, _| KEYS.contains(&key));
        Self::deserialize(Json::Object(object))
    }
}

/// Returns the sum of a figure of all runs; `None` if a run does not record it, because a part of a sum would mislead.
fn sum_known(runs: &[RunSummary], figure: impl Fn(&RunSummary) -> Option<f64>) -> Option<f64> {
    let figures: Option<Vec<f64>> =
        runs.iter().map(|run| figure(run).filter(|value| value.is_finite())).collect();
    figures.filter(|figures| !figures.is_empty()).map(|figures| figures.iter().sum())
}

/// A point in time as a number that is larger for a later time: the digits of the year, the month, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PastTime(u64);

impl PastTime {
    /// Returns the point in time.
    pub fn of_time(time: SystemTime) -> Self {
        Self::parse(&render_utc(time)).unwrap_or_default()
    }

    /// Returns the beginning of a day.
    pub fn of_day(day: Day) -> Self {
        Self::parse(&format!("{day}T00:00:00Z")).unwrap_or_default()
    }

    /// Parses `2026-11-22T03:20:03Z`, of which the seconds count.
    fn parse(text: &str) -> Option<Self> {
        let text = text.as_bytes().get(..19)?;
        let mut digits = 0;
        for (at, byte) in text.iter().enumerate() {
            match (at, byte) {
                (4 | 7, b'-') | (10, b'T') | (13 | 16, b':') => {}
                (4 | 7 | 10 | 13 | 16, _) => return None,
                (_, b'0'..=b'9') => digits = digits * 10 + u64::from(byte - b'0'),
                _ => return None,
            }
        }
        Some(Self(digits))
    }

    fn render(self) -> String {
        let Self(digits) = self;
        let part = |place: u64| digits / place % 100;
        let year = digits / 10_000_000_000;
        let [month, day, hour, minute, second] = [100_000_000, 1_000_000, 10_000, 100, 1].map(part);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// The runs of many trials, in memory.
///
/// A run is 32 bytes. Its names are numbers, because a million lines have few different ones.
#[derive(Debug, Default)]
pub struct History {
    trials: Vec<PastTrial>,
    /// The index of each trial, by the numbers of its harness and its name.
    indexes: HashMap<(u32, u32), usize>,
    harnesses: NameTable,
    names: NameTable,
    runs: NameTable,
    commits: NameTable,
    /// The number of lines that were read.
    pub lines: usize,
    /// The number of lines that were cut off.
    pub torn: usize,
}

/// The runs of one trial.
#[derive(Debug)]
struct PastTrial {
    harness: u32,
    name: u32,
    variant: Box<str>,
    points: Vec<PastPoint>,
}

/// One run of one trial. Costs and durations that are not recorded are no numbers.
#[derive(Debug, Clone, Copy)]
struct PastPoint {
    time: PastTime,
    run: u32,
    commit: u32,
    case_hash: u32,
    result: PastResult,
    cost_usd: f32,
    duration_ms: f32,
}

/// Texts that occur often, by number.
#[derive(Debug, Default)]
struct NameTable {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    /// The last text: most lines have that of the line before.
    last: u32,
}

impl NameTable {
    fn add(&mut self, name: &str) -> u32 {
        if self.names.get(self.last as usize).is_some_and(|last| **last == *name) {
            return self.last;
        }
        self.last = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
            self.names.push(name.into());
            self.numbers.insert(name.into(), number);
            number
        });
        self.last
    }

    fn get(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// A later version of arraign has written the line.
    #[error("written by a later version of arraign (schema_version {0}); update arraign to read it")]
    Newer(u32),
    /// The line is JSON, and no line of a history.
    #[error("not a line of a history: {0}")]
    Broken(String),
}

impl History {
    /// Adds a line, given without its line break. A line that is cut off is counted.
    pub fn add_line(&mut self, line: &str) -> Result<(), HistoryError> {
        match HistoryLine::parse(line) {
            Ok(line) if line.schema_version > LINE_VERSION => Err(HistoryError::Newer(line.schema_version)),
            Ok(line) => self
                .add(&line)
                .ok_or_else(|| HistoryError::Broken(format!("`{}` is no time in UTC", line.time))),
            Err(error) if error.is_data() => Err(HistoryError::Broken(error.message().to_owned())),
            Err(_) => {
                self.torn += 1;
                Ok(())
            }
        }
    }

    /// Adds the trial of `verdict` in the run `run`, which started at `time`.
    pub fn add_verdict(&mut self, verdict: &Verdict, run: &str, time: SystemTime) {
        self.add(&HistoryLine::from_verdict(verdict, run, "", time));
    }

    fn add(&mut self, line: &HistoryLine<'_>) -> Option<()> {
        let time = PastTime::parse(&line.time)?;
        self.lines += 1;
        let harness = self.harnesses.add(&line.harness);
        let name = self.names.add(&line.trial);
        let point = PastPoint {
            time,
            run: self.runs.add(&line.run),
            commit: self.commits.add(&line.commit),
            // The first digits tell two versions of a case apart.
            case_hash: line
                .case_hash
                .get(..8)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .unwrap_or(0),
            result: line.verdict,
            cost_usd: line.cost_usd.map_or(f32::NAN, narrow),
            duration_ms: line.duration_ms.map_or(f32::NAN, narrow),
        };
        let index = *self.indexes.entry((harness, name)).or_insert_with(|| {
            self.trials.push(PastTrial { harness, name, variant: Box::default(), points: Vec::new() });
            self.trials.len() - 1
        });
        let trial = &mut self.trials[index];
        if *trial.variant != *line.variant {
            trial.variant = (&*line.variant).into();
        }
        trial.points.push(point);
        Some(())
    }

    /// Sums up the trials whose names contain `filter`, in runs from `since` on.
    pub fn summarize(&self, filter: Option<&str>, since: Option<PastTime>) -> HistoryReport {
        HistoryReport::from_history(self, filter, since)
    }

    /// Returns the last results of each trial, the latest at the end, for the rows of a report.
    pub fn list_recent(&self) -> RecentResults {
        let report = self.summarize(None, None);
        let strips = report.cases.into_iter().map(|case| {
            let strip = case.render_strip(STRIP);
            ((case.harness, case.trial), strip)
        });
        RecentResults(strips.collect())
    }
}

/// The number of results in the strip of a row.
const STRIP: usize = 30;

/// The last results of trials, by harness and name.
#[derive(Debug, Clone, Default)]
pub struct RecentResults(HashMap<(String, String), String>);

impl RecentResults {
    /// Returns the results of the trial of `verdict`, as letters, the latest at the end.
    pub fn find(&self, verdict: &Verdict) -> Option<&str> {
        self.0.get(&(verdict.harness.clone(), verdict.name.clone())).map(String::as_str)
    }
}

/// A cost or a duration needs no more than seven digits.
#[expect(clippy::cast_possible_truncation, reason = "a trend needs no more digits")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn line(run: &str, time: &str, verdict: &str) -> String {
        format!(
            r#"{{"schema_version":1,"run":"{run}","commit":"c-{run}","time":"{time}","trial":"s::a","verdict":"{verdict}","score":1}}"#
        )
    }

    #[test]
    fn times_are_ordered_numbers() {
        let time = PastTime::parse("2026-11-22T03:20:03Z").expect("a time");
        assert_eq!(time.render(), "2026-11-22T03:20:03Z");
        assert!(time < PastTime::parse("2026-12-01T00:00:00Z").expect("a time"));
        for text in ["", "2026-11-22", "2026-11-22 03:20:03", "2026-11-22T03:20:0xZ", "é026-11-22T03:20:03"]
        {
            assert_eq!(PastTime::parse(text), None, "{text}");
        }
    }

    fn full_line() -> HistoryLine<'static> {
        HistoryLine {
            schema_version: LINE_VERSION,
            run: "2026-11-22T03-20-03Z-4711".into(),
            commit: "0123456789abcdef0123456789abcdef01234567".into(),
            time: "2026-11-22T03:20:03Z".into(),
            harness: "evals".into(),
            trial: "refund::auth_flow".into(),
            variant: "cheaper".into(),
            verdict: PastResult::Pass,
            score: 1.0,
            cost_usd: Some(0.012),
            duration_ms: Some(1234.5),
            case_hash: "0123456789abcdef".into(),
        }
    }

    #[test]
    fn a_line_is_about_200_bytes_and_is_read_as_it_was_written() {
        let line = HistoryLine { variant: "".into(), ..full_line() };
        let text = String::from_utf8(line.render().expect("JSON")).expect("UTF-8");
        assert!((200..320).contains(&text.len()), "{}", text.len());
        let mut history = History::default();
        history.add_line(&text).expect("a line");
        let report = history.summarize(None, None);
        assert_eq!((report.lines, report.torn, report.cases.len()), (1, 0, 1));
        assert_eq!(report.cases[0].trial, "refund::auth_flow");
    }

    #[test]
    fn the_keys_are_those_of_a_line() {
        let text = json::to_string(&full_line()).expect("JSON");
        let object: JsonObject = json::from_str(&text).expect("an object");
        assert!(object.keys().map(|key| &**key).eq(KEYS));
    }

    #[test]
    fn a_line_that_is_read_straight_is_read_alike_by_the_slow_way() {
        let whole = json::to_string(&full_line()).expect("JSON");
        let straight = HistoryLine::parse_written(&whole).expect("a line of this version");
        assert!(matches!(straight.run, Cow::Borrowed(_)), "nothing is copied");
        // Whether the line is read, and whether it is read straight.
        for (text, is_read, is_straight) in [
            (whole.clone(), true, true),
            (whole.replace("refund::", r"\u0072efund::\n"), true, true),
            (whole.replace("0.012", "null").replace("1234.5", "1e3"), true, true),
            (whole.replace(r#"{"schema"#, r#"{ "later":[1,{}], "schema"#), true, false),
            (whole.replace(r#"{"schema"#, r#"{"later":1,"later":2,"schema"#), false, false),
            (whole.replace(r#"{"schema"#, r#"{"later":{"a":1,"a":2},"schema"#), false, false),
            (whole.replace(r#"{"schema"#, r#"{"run":"twice","schema"#), false, false),
            (whole.replace(r#""pass""#, r#""passed""#), false, false),
            (whole.replace(r#""pass""#, r#"{"pass":null,"fail":null}"#), false, false),
            (whole.replace(r#""score":1.0"#, r#""score":"1""#), false, false),
            (whole.replace(r#""run":"#, r#""run":null,"ran":"#), false, false),
            (format!("{whole}{whole}"), false, false),
            (
                r#"[1,"r","","2026-11-22T03:20:03Z","h","s::a","","pass",1,null,null,""]"#.to_owned(),
                false,
                false,
            ),
        ] {
            let slow = HistoryLine::parse_foreign(&text);
            assert_eq!(slow.is_ok(), is_read, "{text}");
            let straight = HistoryLine::parse_written(&text);
            assert_eq!(straight.is_some(), is_straight, "{text}");
            if let Some(straight) = straight {
                assert_eq!(Ok(straight), slow, "{text}");
            }
        }
    }

    #[test]
    fn a_torn_line_is_counted_and_another_document_is_an_error() {
        let mut history = History::default();
        let whole = line("r", "2026-11-22T03:20:03Z", "pass");
        history.add_line(&whole).expect("a line");
        history.add_line(&whole[..whole.len() / 2]).expect("it is torn");
        assert_eq!((history.lines, history.torn), (1, 1));
        for (text, problem) in [
            (r#"{"name": "s::a"}"#, "not a line of a history: missing field"),
            (&*line("r", "yesterday", "pass"), "`yesterday` is no time in UTC"),
            (&*line("r", "2026-11-22T03:20:03Z", "pass").replace(":1,", ":2,"), "a later version"),
        ] {
            let error = history.add_line(text).expect_err(text).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
