//! Runs what an import wrote: what is green, red or undecided before anybody has looked at the cases.

use std::path::Path;

use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::outcome::Status;
use arraign::__internals::report::terminal::render_headline;
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_recorded;
use arraign::__internals::verdict::Verdict;
use arraign::Harness;

/// The results of the written cases.
#[derive(Debug, Default)]
pub(super) struct WrittenResults {
    pub(super) green: usize,
    pub(super) red: Vec<String>,
    pub(super) undecided: Vec<String>,
    /// The number of cases without a recorded run.
    pub(super) unrecorded: usize,
}

/// Evaluates the cases of the files `names` below `folder` on their recorded runs.
pub(super) fn run_written_cases(folder: &Path, names: &[&str]) -> WrittenResults {
    let mut results = WrittenResults::default();
    let (Some(base), Some(below)) = (folder.parent(), folder.file_name()) else { return results };
    let harness = Harness::new(below).at(base);
    let files = Files::new(base, folder);
    for name in names {
        // A file that does not load is in the list of those to be corrected.
        let Ok(suite) = harness.load(name) else { continue };
        for case in &suite.cases {
            let id = case.id.as_deref().unwrap_or(name);
            match load_recorded(case, &folder.join(name), &files) {
                Ok(recorded) => results.add_verdict(&evaluate_recorded(case, id, &recorded)),
                Err(_) => results.unrecorded += 1,
            }
        }
    }
    results
}

impl WrittenResults {
    fn add_verdict(&mut self, verdict: &Verdict) {
        let line = format!("{}: {}", verdict.name, render_headline(verdict));
        match verdict.status {
            _ if verdict.passed => self.green += 1,
            Status::Undecided => self.undecided.push(line),
            Status::Pass | Status::Fail | Status::Error => self.red.push(line),
        }
    }

    /// Renders one line: `60 cases: 40 green, 18 red, 2 undecided`.
    pub(super) fn render_counts(&self) -> String {
        let Self { green, red, undecided, unrecorded } = self;
        let red = red.len();
        let undecided = undecided.len();
        let all = green + red + undecided + unrecorded;
        let cases = if all == 1 { "case" } else { "cases" };
        let rest =
            if *unrecorded > 0 { format!(", {unrecorded} without a recorded run") } else { String::new() };
        format!("ran {all} {cases}: {green} green, {red} red, {undecided} undecided{rest}")
    }
}
