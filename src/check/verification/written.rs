//! A file that was written, and whether a result shows what was written into it.

use std::collections::HashSet;

use super::output::{CallOutput, squeezed};
use super::path::is_code;
use super::shown::without_number;

/// Lines with fewer characters besides whitespace are in every file.
const TRIVIAL: usize = 4;

/// The number of lines that are searched for inside longer lines.
const PROBES: usize = 8;

/// The last edit of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    /// The file.
    pub(super) path: String,
    /// The call that wrote it, from 0.
    pub(super) call: usize,
    /// Whether a later call showed it.
    pub(super) is_shown: bool,
    /// Whether it was moved, so that its new path replaces this one.
    pub(super) is_gone: bool,
    /// Whether it is code.
    pub(super) is_code: bool,
    /// The written lines without whitespace. Empty if the text is unknown or has only trivial lines.
    lines: HashSet<String>,
    probes: Vec<String>,
}

impl Written {
    /// Creates the edit of `path` by `call`, from 0.
    pub(super) fn new(path: &str, call: usize, text: Option<&str>) -> Self {
        let lines = text.into_iter().flat_map(str::lines).map(squeezed);
        let lines: Vec<String> = lines.filter(|line| line.chars().count() >= TRIVIAL).collect();
        Self {
            path: path.to_owned(),
            call,
            is_code: is_code(path),
            probes: lines.iter().take(PROBES).cloned().collect(),
            lines: lines.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns the same edit at the new path, and marks this one as gone.
    pub(super) fn move_to(&mut self, path: &str) -> Self {
        let moved = Self { path: path.to_owned(), is_code: is_code(path), ..self.clone() };
        self.is_gone = true;
        moved
    }

    /// Whether `output` shows a written line. If the written text is unknown, any output counts.
    pub(super) fn is_in(&self, output: &CallOutput) -> bool {
        if self.probes.is_empty() {
            return !output.squeezed.is_empty();
        }
        self.probes.iter().any(|probe| output.squeezed.contains(probe.as_str()))
            // A reader may have put numbers before the lines.
            || output.text.lines().any(|line| self.lines.contains(&squeezed(without_number(line))))
    }
}
