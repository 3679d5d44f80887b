//! The bound on what the defaults, the included files and the rows of a file add to its cases.
//!
//! A case is read as if it had been written whole, so what a suite says once costs memory for each of its cases. A file of
//! some kilobytes could ask for gigabytes: 500 checks in the defaults of 2,000 cases are a million checks, and a million
//! findings in the verdicts. What is added is counted while it is copied, and the file is refused at the limit.

use crate::place::{LoadError, Place};
use crate::yaml::{Tree, Value};

/// The largest size that defaults, included files and rows may add to the cases of a file, in bytes: a thousand times as much
/// as the largest files that people write by hand. 100,000 rows of cases with 20 values each are below it.
const MAX_COPIED: usize = 256 << 20;

/// The size of a value without its text. In the tree it takes 40 to 80 bytes, and as a part of a check about 300.
const BYTES_PER_VALUE: usize = 128;

/// The bytes that may still be added to the cases of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopyBudget {
    left: usize,
}

impl CopyBudget {
    /// A budget of which nothing is used.
    pub(super) fn new() -> Self {
        Self { left: MAX_COPIED }
    }

    /// Counts one value whose text has `text_bytes`. Returns false if the budget is used up, and the value must not be added.
    pub(super) fn count_value(&mut self, text_bytes: usize) -> bool {
        self.left = self.left.saturating_sub(text_bytes.saturating_add(BYTES_PER_VALUE));
        !self.is_used_up()
    }

    /// Counts text that becomes a part of a value. Returns false if the budget is used up.
    pub(super) fn count_text(&mut self, bytes: usize) -> bool {
        self.left = self.left.saturating_sub(bytes);
        !self.is_used_up()
    }

    /// Counts a tree with all values below. Returns false if the budget is used up, and the tree must not be added.
    pub(super) fn count_tree(&mut self, tree: &Tree) -> bool {
        match &tree.value {
            Value::List(trees) => self.count_value(0) && trees.iter().all(|tree| self.count_tree(tree)),
            Value::Map(entries) => {
                self.count_value(0)
                    && entries
                        .iter()
                        .all(|(key, tree)| self.count_text(key.name.len()) && self.count_tree(tree))
            }
            Value::String(text) => self.count_value(text.len()),
            _ => self.count_value(0),
        }
    }

    /// Whether nothing more may be added.
    pub(super) fn is_used_up(self) -> bool {
        self.left == 0
    }

    /// The error of a file that adds too much, about the case or the rows at `place`.
    pub(super) fn refuse_file(place: Place) -> LoadError {
        let problem = format!(
            "the defaults, included files and rows of this file add more than {} MiB to its cases",
            MAX_COPIED >> 20
        );
        LoadError::new(place, problem)
            .help("split the file into several, or say less in the defaults of so many cases")
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::check::{Registry, Tables};
    use crate::place::LoadErrors;
    use crate::source::Files;
    use crate::suite::{Library, Suite};

    fn load(text: &str) -> Result<Suite, LoadErrors> {
        let kinds = Registry::default();
        let library = Library { kinds: &kinds, files: &Files::new("", "evals"), tables: &Tables::default() };
        Suite::parse(Path::new("evals/s.yaml"), text, library)
    }

    fn write_cases(count: usize) -> String {
        let mut text = "tests:\n".to_owned();
        for number in 0..count {
            let _ = writeln!(text, "  - {{id: c{number}}}");
        }
        text
    }

    fn assert_refused(text: &str, line: &str) {
        let errors = load(text).err().expect("too much").to_string();
        assert!(errors.contains("add more than 256 MiB to its cases"), "{errors}");
        assert!(errors.contains(line) && errors.contains("split the file"), "{errors}");
        // The cases after the limit are not even looked at.
        assert_eq!(errors.matches("256 MiB").count(), 1, "{errors}");
    }

    #[test]
    fn defaults_that_grow_to_gigabytes_are_refused_with_their_place() {
        let bans: Vec<String> = (0..5_000).map(|ban| format!("    - not_called: t{ban}\n")).collect();
        let bans = bans.concat();
        assert_refused(&format!("defaults:\n  expect:\n{bans}{}", write_cases(1_000)), "evals/s.yaml:5");
        let metadata = format!("defaults: {{metadata: {{note: {}}}}}\n", "x".repeat(300_000));
        assert_refused(&format!("{metadata}{}", write_cases(2_000)), "evals/s.yaml:8");
        let calls = "look, ".repeat(50_000);
        let trace = format!("defaults: {{trace: {{calls: [{calls}]}}}}\n");
        assert_refused(&format!("{trace}{}", write_cases(200)), "evals/s.yaml:4");
        let gates: Vec<String> = (0..20_000).map(|gate| format!("g{gate}: 1, ")).collect();
        let gates = gates.concat();
        let replaced = format!("defaults: {{expected: {{{gates}}}, metadata: {{}}}}\n{}", write_cases(200));
        assert_refused(&replaced.replace("}\n  -", ", expected: {}}\n  -"), "evals/s.yaml:");
    }

    #[test]
    fn the_bound_holds_for_all_suites_of_a_file_together() {
        let suite = |name: usize| {
            let cases = write_cases(200).replace("id: c", &format!("id: c{name}_"));
            format!("defaults: {{metadata: {{note: {}}}}}\n{cases}", "x".repeat(300_000))
        };
        assert_refused(&(0..6).map(suite).collect::<Vec<_>>().join("---\n"), "evals/s.yaml:");
    }

    #[test]
    fn ten_thousand_cases_take_ordinary_defaults() {
        let mut copies = CopyBudget::new();
        let text = "- {tool_called: look}\n".repeat(50);
        let source = crate::place::Source::new("s.yaml", text);
        let documents = crate::yaml::Document::parse(&source).expect("YAML");
        assert!((0..10_000).all(|_| copies.count_tree(&documents[0].root)));
    }
}
