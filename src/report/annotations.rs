//! GitHub annotations: log lines that mark a line of a file in a pull request.

use std::fmt::Write as _;

use super::plain::escape_line;
use super::terminal::{find_first_place, render_headline};
use super::{ReportBuilder, RunInfo};
use crate::verdict::Verdict;

/// The largest number of annotations that GitHub shows for one step.
const MAX_ANNOTATIONS: usize = 10;

/// Writes one annotation for each of the first trials that did not pass and are not quarantined.
pub struct Annotations<'r> {
    run: &'r RunInfo,
    lines: String,
    count: usize,
}

impl<'r> Annotations<'r> {
    /// Starts without annotations.
    pub fn new(run: &'r RunInfo) -> Self {
        Self { run, lines: String::new(), count: 0 }
    }
}

impl ReportBuilder for Annotations<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        // GitHub shows only the first annotations of a step, so more of them would be lost.
        if verdict.passed || verdict.is_quarantined() || self.count == MAX_ANNOTATIONS {
            return;
        }
        self.count += 1;
        let at = find_first_place(verdict);
        let file = escape_property(&self.run.below_repository(&at.file));
        let title = escape_property(&verdict.name);
        let line = at.line;
        let column = at.column;
        let message = escape_data(&render_headline(verdict));
        let _ = writeln!(self.lines, "::error file={file},line={line},col={column},title={title}::{message}");
    }

    fn finish(self: Box<Self>) -> String {
        self.lines
    }
}

/// Escapes the text of a workflow command.
fn escape_data(text: &str) -> String {
    escape_line(text).replace('%', "%25")
}

/// Escapes a property of a workflow command: a comma would start the next property, two colons the text.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_a_value() {
        assert_eq!(escape_property("a::b,line=1%0A\n::error"), "a%3A%3Ab%2Cline=1%250A\\n%3A%3Aerror");
        assert_eq!(escape_data("50% of ::x\r\n"), "50%25 of ::x\\n");
    }
}
