//! A file that was written, and whether a result shows what was written into it.

use std::collections::HashSet;

use super::output::{Output, squeezed};
use super::path::is_code;
use super::shown::without_number;

/// Lines shorter than this, blanks aside, are in every file.
const TRIVIAL: usize = 4;

/// How many lines are looked for as a part of a longer line.
const PROBES: usize = 8;

/// The last edit of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    /// The file.
    pub(super) path: String,
    /// The call that wrote it, from 0.
    pub(super) call: usize,
    /// A later call showed it.
    pub(super) is_shown: bool,
    /// It was moved: its new name has taken its place.
    pub(super) is_gone: bool,
    /// It is code.
    pub(super) is_code: bool,
    /// What was written, line by line, without blanks. Empty: not known, or nothing that could be told from others.
    lines: HashSet<String>,
    probes: Vec<String>,
}

impl Written {
    /// The edit of `path` by `call`, from 0.
    pub(super) fn new(path: &str, call: usize, text: Option<&str>) -> Self {
        let lines = || {
            text.into_iter().flat_map(str::lines).map(squeezed).filter(|line| line.chars().count() >= TRIVIAL)
        };
        let is_code = is_code(path);
        Self {
            path: path.to_owned(),
            call,
            is_code,
            lines: lines().collect(),
            probes: lines().take(PROBES).collect(),
            ..Self::default()
        }
    }

    /// The same file by its new name; this one is gone.
    pub(super) fn move_to(&mut self, path: &str) -> Self {
        let moved = Self { path: path.to_owned(), is_code: is_code(path), ..self.clone() };
        self.is_gone = true;
        moved
    }

    /// Whether `output` shows a line of what was written; any text, if it is not known what was.
    pub(super) fn is_in(&self, output: &Output) -> bool {
        if self.probes.is_empty() {
            return !output.squeezed.is_empty();
        }
        let is_line = |line: &str| self.lines.contains(&squeezed(without_number(line)));
        self.probes.iter().any(|probe| output.squeezed.contains(probe.as_str()))
            || output.text.lines().any(is_line)
    }
}
