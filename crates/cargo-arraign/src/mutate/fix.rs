//! `--fix`: adds to the cases what notices the survivors. Each file is edited in memory and its case tried again, before the
//! file is written.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use arraign::__internals::harness::is_ci;
use arraign::__internals::mutate::TraceMutation;
use arraign::__internals::place::Source;
use arraign::__internals::report::plain::{count_noun, escape_line, escape_text};
use arraign::__internals::yaml::render_entry;
use arraign::Harness;
use arraign::json::Json;
use clap::ValueEnum;

use crate::case_edit::add_entries;
use crate::error::{CliError, exit_after_write, print_to_stderr};
use crate::mutants::{CaseFix, FixEntry, choose_additions, mutate_fixed_case, replace_case_file};

/// The largest number of changes that a question lists.
const MAX_CHANGES: usize = 3;

/// Whether `--fix` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FixMode {
    /// Ask about each check on the terminal.
    Ask,
    /// Add all checks.
    All,
}

/// Refuses `--fix` where nobody watches, or nobody can answer.
pub(super) fn require_person(mode: FixMode) -> Result<(), CliError> {
    if is_ci() {
        let why = "`--fix` writes nothing in CI (the variable CI is set)";
        return Err(CliError::new(format!("{why}: run it on your machine and commit the result")));
    }
    if mode == FixMode::Ask && !io::stdin().is_terminal() {
        return Err(CliError::new(
            "`--fix` asks on a terminal, and standard input is not a terminal: `--fix=all` does not ask",
        ));
    }
    Ok(())
}

/// The result of the fixes.
#[derive(Debug, Default)]
pub(super) struct FixResult {
    /// The number of added checks.
    pub(super) added: usize,
    /// The number of cases that were not fixed.
    pub(super) refused: usize,
}

/// Adds checks to the cases so that they notice the survivors of the traces.
pub(super) fn fix_cases(
    harness: &Harness,
    traces: &[TraceMutation<'_>],
    mode: FixMode,
) -> Result<FixResult, CliError> {
    let chosen = choose_additions(harness, traces).map_err(|errors| CliError::new(errors.to_string()))?;
    let mut question = FixQuestion { mode, is_over: false };
    let mut files: BTreeMap<PathBuf, Vec<CaseFix>> = BTreeMap::new();
    for fix in chosen {
        let wanted = question.select_entries(fix)?;
        if !wanted.entries.is_empty() {
            files.entry(wanted.path.clone()).or_default().push(wanted);
        }
    }
    // Each file is written once with all its fixes, since the places are those of the unchanged text.
    let mut result = FixResult::default();
    for fixes in files.into_values() {
        FileFixer { harness, result: &mut result }.fix_file(fixes)?;
    }
    Ok(result)
}

/// Asks which checks are added.
struct FixQuestion {
    mode: FixMode,
    is_over: bool,
}

impl FixQuestion {
    fn select_entries(&mut self, mut fix: CaseFix) -> Result<CaseFix, CliError> {
        if self.mode == FixMode::Ask && !self.is_over {
            let place = fix.place.locate();
            println_escaped(&format!("{}:{}  {}", place.file, place.line, fix.name))?;
        }
        let mut wanted = Vec::new();
        // The entries are asked about in the order in which they were chosen: the first kills most.
        for entry in std::mem::take(&mut fix.entries) {
            if self.is_wanted(&entry)? {
                wanted.push(entry);
            }
        }
        fix.entries = wanted;
        Ok(fix)
    }

    fn is_wanted(&mut self, entry: &FixEntry) -> Result<bool, CliError> {
        if self.mode == FixMode::All || self.is_over {
            return Ok(!self.is_over);
        }
        let shown: Vec<&str> = entry.killed.iter().take(MAX_CHANGES).map(|one| one.change.as_str()).collect();
        let more = match entry.killed.len().saturating_sub(MAX_CHANGES) {
            0 => String::new(),
            count => format!("; and {count} more"),
        };
        println_escaped(&format!("  - {}", render_entry(&entry.entry)))?;
        println_escaped(&format!("    notices: {}{more}", shown.join("; ")))?;
        loop {
            exit_after_write(write!(io::stdout(), "    add it? [y]es, [n]o, [a]ll, [q]uit: "))?;
            exit_after_write(io::stdout().flush())?;
            let mut answer = String::new();
            let length = io::stdin().lock().read_line(&mut answer)?;
            match answer.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                "a" | "all" => self.mode = FixMode::All,
                "q" | "quit" => self.is_over = true,
                // The terminal was closed.
                _ if length == 0 => self.is_over = true,
                _ => continue,
            }
            return Ok(!self.is_over);
        }
    }
}

fn println_escaped(line: &str) -> Result<(), CliError> {
    exit_after_write(writeln!(io::stdout(), "{}", escape_line(line))).map(drop)
}

/// Writes the checks into one file.
struct FileFixer<'f> {
    harness: &'f Harness,
    result: &'f mut FixResult,
}

impl FileFixer<'_> {
    fn fix_file(&mut self, mut fixes: Vec<CaseFix>) -> Result<(), CliError> {
        // The last case first, so that the places of the others stay.
        fixes.sort_by_key(|fix| std::cmp::Reverse(fix.place.span().start));
        let Some(before) = fixes.first().map(|fix| Arc::clone(fix.place.source())) else { return Ok(()) };
        let mut text = before.text().to_owned();
        let mut added: Vec<&CaseFix> = Vec::new();
        // Each case is tried with the checks of all cases that were edited before it.
        for fix in &fixes {
            match self.try_fix(fix, &text) {
                Ok(edited) => {
                    text = edited;
                    added.push(fix);
                }
                Err(why) => self.refuse(fix, &why),
            }
        }
        let path = fixes[0].path.as_path();
        if added.is_empty() {
            return Ok(());
        }
        if let Err(why) = replace_case_file(self.harness, path, before.text(), &text) {
            for fix in added {
                self.refuse(fix, &why);
            }
            return Ok(());
        }
        for fix in added.iter().rev() {
            self.result.added += fix.entries.len();
            println_escaped(&summarize_fix(fix, before.name()))?;
        }
        Ok(())
    }

    /// Returns the text of the file with the checks of one case, with which the case passes and notices the changes.
    fn try_fix(&self, fix: &CaseFix, text: &str) -> Result<String, String> {
        if fix.is_row {
            return Err(
                "the case is a row of a dataset: add the checks to `defaults` of its suite".to_owned()
            );
        }
        let source = Source::new(fix.place.file(), text);
        let entries: Vec<Json> = fix.entries.iter().map(|entry| entry.entry.clone()).collect();
        let edited = add_entries(&source, fix.place.span().start as usize, &entries)?;
        let tried = mutate_fixed_case(self.harness, fix, &edited)
            .map_err(|errors| format!("with the checks the case does not load: {errors}"))?;
        if let Some(why) = &tried.left_out {
            return Err(format!("with the checks, {why}"));
        }
        let is_killed = |id: &str| tried.mutants().any(|(_, mutant)| mutant.id == id && mutant.is_killed());
        let unnoticed = fix.entries.iter().flat_map(|entry| &entry.killed).find(|one| !is_killed(&one.id));
        match unnoticed {
            // The additions were chosen one by one. Together, in the file, they are tried once more.
            Some(mutant) => Err(format!("with the checks the case does not notice that {}", mutant.change)),
            None => Ok(edited),
        }
    }

    fn refuse(&mut self, fix: &CaseFix, why: &str) {
        self.result.refused += 1;
        print_to_stderr(&format!("not fixed: {}: {}: {}", fix.place, fix.name, escape_text(why)));
    }
}

fn summarize_fix(fix: &CaseFix, file: &str) -> String {
    let count = fix.entries.len();
    let checks = count_noun(count, "check");
    format!("{file}: added {checks} to `{}`", fix.name)
}
