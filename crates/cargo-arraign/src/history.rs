//! `cargo arraign history [FILTER]`.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use arraign::__internals::case::Day;
use arraign::__internals::harness::read_history;
use arraign::__internals::harness::runs::list_runs;
use arraign::__internals::report::history::{
    CaseHistory, History as ReadHistory, HistoryReport, PastTime, Trend, render_page,
};
use arraign::__internals::report::plain::{count_noun, escape_line, render_safe_json};
use arraign::__internals::suite::parse_base_quarantine;
use clap::Args;

use crate::error::{CliError, CliResult, exit_after_write};
use crate::out::locate_out_folder;

/// The number of results that a line shows.
const STRIP: usize = 30;

/// Show how often each trial passed in many runs, when that changed, and what it cost.
///
/// Reads the history that runs with `ARRAIGN_HISTORY` append to, or else the verdicts of the runs in `target/arraign`. A share
/// counts the runs that passed or failed. A flip is a change between two runs of the same case.
#[derive(Debug, Args)]
pub(crate) struct History {
    /// Show only the trials whose names contain this text.
    filter: Option<String>,
    /// A history, a `report.jsonl` or the folder of a run; may be given several times. Default: `ARRAIGN_HISTORY`, or all runs in
    /// `target/arraign`.
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Count only the runs from this time on: `30d`, `12h`, or a day such as `2026-12-01`.
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    since: Option<PastTime>,
    /// Print one HTML page.
    #[arg(long, conflicts_with = "json")]
    html: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// The folder of the cases: those of its `quarantine.yaml` that may leave it are named.
    #[arg(long, value_name = "DIR", default_value = "evals")]
    cases: PathBuf,
    /// The folder with the runs. Default: `ARRAIGN_OUT`, or `target/arraign`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl History {
    pub(crate) fn run(self) -> CliResult {
        let mut history = ReadHistory::default();
        for path in self.list_files()? {
            read_history(&path, &mut history).map_err(CliError::new)?;
        }
        let report = history.summarize(self.filter.as_deref(), self.since);
        if report.cases.is_empty() {
            return Err(CliError::new(explain_no_trial(&report)));
        }
        let text = match (self.html, self.json) {
            (true, _) => render_page(&report),
            (_, true) => render_safe_json(&report) + "\n",
            _ => render_text(&report) + &self.render_leavers(&history.summarize(None, None)),
        };
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        // The page is about to be gone with the process. Freeing a million results only takes time.
        std::mem::forget(history);
        Ok(ExitCode::SUCCESS)
    }

    /// Renders a line for each case that may leave the quarantine. A broken file is a mistake of the next run.
    fn render_leavers(&self, report: &HistoryReport) -> String {
        let path = self.cases.join("quarantine.yaml");
        let Ok(text) = fs::read_to_string(&path) else { return String::new() };
        let (quarantine, _) = parse_base_quarantine(&path, &text);
        let leavers = report.list_leavers(&quarantine, None).into_iter();
        leavers.map(|line| escape_line(&line) + "\n").collect()
    }

    fn list_files(&self) -> Result<Vec<PathBuf>, CliError> {
        if !self.file.is_empty() {
            return Ok(self.file.clone());
        }
        if let Some(file) = env::var_os("ARRAIGN_HISTORY").filter(|file| !file.is_empty()) {
            return Ok(vec![file.into()]);
        }
        Ok(list_runs(&self.out.clone().unwrap_or_else(locate_out_folder))?)
    }
}

fn explain_no_trial(report: &HistoryReport) -> String {
    match report.lines {
        0 => "the history is empty: set ARRAIGN_HISTORY=FILE in your runs, or name files with `--file`"
            .to_owned(),
        lines => format!(
            "no trial of the history ({}) has this name, or ran since then",
            count_noun(lines, "line")
        ),
    }
}

/// Renders one line for each trial, and the figures of the history.
fn render_text(report: &HistoryReport) -> String {
    let width = report.cases.iter().map(|case| case.trial.chars().count()).max().unwrap_or(0).min(60);
    let mut text = String::new();
    for case in &report.cases {
        let _ = writeln!(text, "{:width$}  {}", escape_line(&case.trial), render_case(case));
    }
    let HistoryReport { cases, lines, torn, runs, .. } = report;
    let torn =
        if *torn == 0 { String::new() } else { format!(", {} left out", count_noun(*torn, "torn line")) };
    let trials = count_noun(cases.len(), "trial");
    text + &format!("{trials}, {}, {}{torn}\n", count_noun(*runs, "run"), count_noun(*lines, "line"))
}

fn render_case(case: &CaseHistory) -> String {
    let decided = case.passed + case.failed;
    let mut parts = vec![format!("{:STRIP$}  {} of {decided} passed", case.render_strip(STRIP), case.passed)];
    if let (Some(rate), Some(interval)) = (case.pass_rate, case.interval) {
        let [rate, lower, upper] = [rate, interval.lower, interval.upper].map(|share| share * 100.0);
        parts.push(format!("{rate:.1} % ({lower:.1} to {upper:.1})"));
    }
    for (count, what) in
        [(case.undecided, "undecided"), (case.errors, if case.errors == 1 { "error" } else { "errors" })]
    {
        parts.extend((count > 0).then(|| format!("{count} {what}")));
    }
    if let Some(rate) = case.flip_rate.filter(|_| case.flips > 0) {
        parts.push(format!("{} ({:.0} %)", count_noun(case.flips, "flip"), rate * 100.0));
    }
    if let Some(change) = &case.last_change {
        let from = change.from.as_str();
        let to = change.to.as_str();
        let day = change.time.get(..10).unwrap_or_default();
        let commit: String = change.commit.chars().take(10).collect();
        let commit = if commit.is_empty() { commit } else { format!(" at {}", escape_line(&commit)) };
        let edited = if change.case_changed { ", when the case changed" } else { "" };
        parts.push(format!("{from} to {to} on {day}{commit}{edited}"));
    }
    parts.extend(render_trend("cost", case.cost_usd));
    parts.extend(render_trend("time", case.duration_ms));
    parts.join(", ")
}

fn render_trend(name: &str, trend: Option<Trend>) -> Option<String> {
    Some(format!("{name} {:+.0} %", trend?.change? * 100.0))
}

/// Parses a number of days or hours before now, or a day.
fn parse_since(text: &str) -> Result<PastTime, String> {
    let units = [('d', 86_400), ('h', 3_600)];
    let ago = units.iter().find_map(|(unit, seconds)| {
        let count: u64 = text.strip_suffix(*unit)?.parse().ok()?;
        SystemTime::now().checked_sub(Duration::from_secs(count.checked_mul(*seconds)?))
    });
    let day = || text.parse::<Day>().ok().map(PastTime::of_day);
    ago.map(PastTime::of_time)
        .or_else(day)
        .ok_or_else(|| "expected `30d`, `12h`, or a day such as `2026-12-01`".to_owned())
}
