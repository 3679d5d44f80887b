//! `JUnit` XML, for the CI servers that show tests: one testsuite a file of cases.
//!
//! It keeps to the schema of Ant's `JUnit` task, which all readers take. That schema knows properties and output of a
//! testsuite only: the score and the tier of a case are properties of its suite. An undecided trial is an error.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::flaky::attempts;
use super::markup::{attribute, text};
use super::terminal::{headline, red_trial};
use super::{Format, Report, Run, Skipped, Standing};
use crate::case::Tier;
use crate::score::written;
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Junit, file: "report.junit.xml", begin: |run| Box::new(Junit::of(run)) };

struct Junit<'r> {
    run: &'r Run,
    /// In the order in which their first trials came.
    suites: Vec<Suite>,
    by_file: HashMap<String, usize>,
}

/// The testcases of one file, written out.
#[derive(Default)]
struct Suite {
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

impl<'r> Junit<'r> {
    fn of(run: &'r Run) -> Self {
        Self { run, suites: Vec::new(), by_file: HashMap::new() }
    }

    fn suite(&mut self, file: &str) -> &mut Suite {
        let next = self.suites.len();
        let at = *self.by_file.entry(file.to_owned()).or_insert(next);
        if at == next {
            self.suites.push(Suite { file: file.to_owned(), ..Suite::default() });
        }
        &mut self.suites[at]
    }
}

impl Report for Junit<'_> {
    fn add(&mut self, verdict: &Verdict) {
        self.suite(&verdict.case.file).add(verdict);
    }

    fn finish(mut self: Box<Self>) -> String {
        let run = self.run;
        run.skipped.iter().for_each(|skipped| self.suite(&skipped.file).skip(skipped));
        let started = run.started_utc();
        let suites: String =
            self.suites.iter().enumerate().map(|(id, suite)| suite.written(id, &started)).collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{suites}</testsuites>\n")
    }
}

impl Suite {
    fn add(&mut self, verdict: &Verdict) {
        self.tests += 1;
        self.milliseconds += verdict.duration_ms;
        self.describe(verdict);
        let (standing, seconds) = (Standing::of(verdict), verdict.duration_ms / 1000.0);
        let element = match standing {
            Standing::Passed => return self.testcase(&verdict.name, seconds, ""),
            Standing::Failed => "failure",
            Standing::Undecided | Standing::Error => "error",
        };
        self.failures += usize::from(element == "failure");
        self.errors += usize::from(element == "error");
        let red = text(&red_trial(verdict));
        let (kind, message) = (standing.word(), attribute(&headline(verdict)));
        let ending = format!("<{element} type=\"{kind}\" message=\"{message}\">{red}</{element}>");
        self.testcase(&verdict.name, seconds, &ending);
        let name = text(&verdict.name);
        let _ = write!(self.output, "---- {name} ----\n{red}\n");
    }

    fn skip(&mut self, skipped: &Skipped) {
        self.tests += 1;
        self.skipped += 1;
        let message = skipped.reason.as_deref().map(|reason| format!(" message=\"{}\"", attribute(reason)));
        self.testcase(&skipped.name, 0.0, &format!("<skipped{}/>", message.unwrap_or_default()));
    }

    fn testcase(&mut self, name: &str, seconds: f64, ending: &str) {
        let (class, name) = (attribute(&self.file), attribute(name));
        let _ = writeln!(
            self.testcases,
            "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.3}\">{ending}</testcase>"
        );
    }

    fn describe(&mut self, verdict: &Verdict) {
        let tier = if verdict.tier == Tier::Smoke { "smoke" } else { "full" };
        self.property(&format!("{}.tier", verdict.name), tier);
        self.property(&format!("{}.score", verdict.name), &written(verdict.score.get()));
        if let Some(attempts) = attempts(verdict) {
            self.property(&format!("{}.flaky", verdict.name), &attempts);
        }
    }

    fn property(&mut self, name: &str, value: &str) {
        let (name, value) = (attribute(name), attribute(value));
        let _ = writeln!(self.properties, "      <property name=\"{name}\" value=\"{value}\"/>");
    }

    /// `localhost` is what the schema asks for where a host has no name of interest.
    fn written(&self, id: usize, started: &str) -> String {
        let Self { tests, failures, errors, skipped, properties, testcases, output, .. } = self;
        let (file, seconds) = (attribute(&self.file), self.milliseconds / 1000.0);
        format!(
            "  <testsuite id=\"{id}\" name=\"{file}\" package=\"arraign\" hostname=\"localhost\" \
             timestamp=\"{started}\" time=\"{seconds:.3}\" tests=\"{tests}\" failures=\"{failures}\" \
             errors=\"{errors}\" skipped=\"{skipped}\">\n    <properties>\n{properties}    </properties>\n\
             {testcases}    <system-out>{output}</system-out>\n    <system-err></system-err>\n  </testsuite>\n"
        )
    }
}
