//! `JUnit` XML, for CI servers that show tests: each file of cases is one testsuite.
//!
//! It follows the schema of Ant's `JUnit` task, which all readers accept. In that schema only a testsuite has
//! properties and output, so the score and the tier of a case are properties of its suite. An undecided trial is an
//! error, and a quarantined failure a property.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::flaky::render_attempts;
use super::markup::{escape_attribute, escape_markup};
use super::pinned::render_pinned;
use super::quarantine::render_entry;
use super::terminal::{render_headline, render_red_trial};
use super::{FormatEntry, ReportBuilder, RunInfo, SkippedTrial, TrialResult};
use crate::case::Tier;
use crate::score::written;
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Junit,
    file: "report.junit.xml",
    begin: |run| Box::new(JunitReport { run, suites: Vec::new(), by_file: HashMap::new() }),
};

struct JunitReport<'r> {
    run: &'r RunInfo,
    /// The suites in the order of their first trials.
    suites: Vec<JunitSuite>,
    by_file: HashMap<String, usize>,
}

/// The testcases of one file, already rendered.
#[derive(Default)]
struct JunitSuite {
    file: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    milliseconds: f64,
    properties: String,
    testcases: String,
    output: String,
}

impl JunitReport<'_> {
    fn suite_mut(&mut self, file: &str) -> &mut JunitSuite {
        let next = self.suites.len();
        // The index equals `next` only if the file was not known before.
        let at = *self.by_file.entry(file.to_owned()).or_insert(next);
        if at == next {
            self.suites.push(JunitSuite { file: file.to_owned(), ..JunitSuite::default() });
        }
        &mut self.suites[at]
    }
}

impl ReportBuilder for JunitReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.suite_mut(&verdict.case.file).add_verdict(verdict);
    }

    fn finish(mut self: Box<Self>) -> String {
        let run = self.run;
        run.skipped.iter().for_each(|skipped| self.suite_mut(&skipped.file).add_skipped(skipped));
        let started = run.started_utc();
        let suites: String =
            self.suites.iter().enumerate().map(|(id, suite)| suite.render_suite(id, &started)).collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
    }
}

impl JunitSuite {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.tests += 1;
        self.milliseconds += verdict.duration_ms;
        self.write_properties(verdict);
        let result = TrialResult::from_verdict(verdict);
        let seconds = verdict.duration_ms / 1000.0;
        let element = match result {
            TrialResult::Passed | TrialResult::Quarantined => {
                return self.write_testcase(&verdict.name, seconds, "");
            }
            TrialResult::Failed => "failure",
            TrialResult::Undecided | TrialResult::Error => "error",
        };
        self.failures += usize::from(element == "failure");
        self.errors += usize::from(element == "error");
        let red = escape_markup(&render_red_trial(verdict));
        let kind = result.as_str();
        let message = escape_attribute(&render_headline(verdict));
        let ending = format!("<{element} type=\"{kind}\" message=\"{message}\">{red}</{element}>");
        self.write_testcase(&verdict.name, seconds, &ending);
        // The text is in the suite's output as well, for servers that show the output and not the failures.
        let name = escape_markup(&verdict.name);
        let _ = write!(self.output, "---- {name} ----\n{red}\n");
    }

    fn add_skipped(&mut self, skipped: &SkippedTrial) {
        self.tests += 1;
        self.skipped += 1;
        let message =
            skipped.reason.as_deref().map(|reason| format!(" message=\"{}\"", escape_attribute(reason)));
        self.write_testcase(&skipped.name, 0.0, &format!("<skipped{}/>", message.unwrap_or_default()));
    }

    fn write_testcase(&mut self, name: &str, seconds: f64, ending: &str) {
        let class = escape_attribute(&self.file);
        let name = escape_attribute(name);
        let _ = writeln!(
            self.testcases,
            "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.3}\">{ending}</testcase>"
        );
    }

    fn write_properties(&mut self, verdict: &Verdict) {
        let tier = if verdict.tier == Tier::Smoke { "smoke" } else { "full" };
        self.write_property(&format!("{}.tier", verdict.name), tier);
        self.write_property(&format!("{}.score", verdict.name), &written(verdict.score.get()));
        if let Some(pinned) = render_pinned(verdict) {
            self.write_property(&format!("{}.pinned", verdict.name), &pinned);
        }
        if let Some(entry) = render_entry(verdict).filter(|_| verdict.is_quarantined()) {
            let entry = format!("{entry}; {}", render_headline(verdict));
            self.write_property(&format!("{}.quarantined", verdict.name), &entry);
        }
        if let Some(attempts) = render_attempts(verdict) {
            self.write_property(&format!("{}.flaky", verdict.name), &attempts);
        }
    }

    fn write_property(&mut self, name: &str, value: &str) {
        let name = escape_attribute(name);
        let value = escape_attribute(value);
        let _ = writeln!(self.properties, "      <property name=\"{name}\" value=\"{value}\"/>");
    }

    /// Renders the testsuite. `localhost` is the schema's value for a host that is not of interest.
    fn render_suite(&self, id: usize, started: &str) -> String {
        let Self { tests, failures, errors, skipped, properties, testcases, output, .. } = self;
        let file = escape_attribute(&self.file);
        let seconds = self.milliseconds / 1000.0;
        format!(
            "  <testsuite id=\"{id}\" name=\"{file}\" package=\"arraign\" hostname=\"localhost\" \
             timestamp=\"{started}\" time=\"{seconds:.3}\" tests=\"{tests}\" failures=\"{failures}\" \
             errors=\"{errors}\" skipped=\"{skipped}\">\n    <properties>\n{properties}    </properties>\n\
             {testcases}    <system-out>{output}</system-out>\n    <system-err></system-err>\n  </testsuite>\n"
        )
    }
}
