//! Annotations of GitHub's: lines of a log that mark a line of a file in a pull request.

use std::fmt::Write as _;

use super::plain::one_line;
use super::terminal::{first_place, headline};
use super::{Report, Run};
use crate::verdict::Verdict;

/// How many a step may have.
const SHOWN: usize = 10;

/// A line for each of the first trials that did not pass.
pub struct Annotations<'r> {
    run: &'r Run,
    lines: String,
    count: usize,
}

impl<'r> Annotations<'r> {
    /// None so far.
    pub fn of(run: &'r Run) -> Self {
        Self { run, lines: String::new(), count: 0 }
    }
}

impl Report for Annotations<'_> {
    fn add(&mut self, verdict: &Verdict) {
        if verdict.passed || self.count == SHOWN {
            return;
        }
        self.count += 1;
        let at = first_place(verdict);
        let (file, title) = (property(&self.run.below_repository(&at.file)), property(&verdict.name));
        let (line, column, message) = (at.line, at.column, data(&headline(verdict)));
        let _ = writeln!(self.lines, "::error file={file},line={line},col={column},title={title}::{message}");
    }

    fn finish(self: Box<Self>) -> String {
        self.lines
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// A value before the text: a comma would begin the next one, two colons the text.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_a_value() {
        assert_eq!(property("a::b,line=1%0A\n::error"), "a%3A%3Ab%2Cline=1%250A\\n%3A%3Aerror");
        assert_eq!(data("50% of ::x\r\n"), "50%25 of ::x\\n");
    }
}
