//! The report of mutants for the terminal.

use std::collections::BTreeMap;

use arraign::__internals::mutate::{TraceMutation, share};
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::yaml::render_entry;
use arraign::verdict::{CaseMutation, MutantFate, MutantResult};

use super::known::HiddenSurvivors;
use crate::mutants::MutationReport;

/// The column at which additions begin, unless a description is longer.
const ADDITION_COLUMN: usize = 62;

/// The largest number of names in a group of cases that are left out.
const MAX_NAMES: usize = 3;

/// The report of mutants.
pub(super) struct MutationText<'t> {
    pub(super) report: &'t MutationReport,
    pub(super) traces: &'t [TraceMutation<'t>],
    /// Whether the survivors of a case are shown that other cases notice.
    pub(super) shows_all: bool,
    /// The survivors that a baseline contains.
    pub(super) hidden: Option<HiddenSurvivors>,
    /// The traces with too few noticed mutants.
    pub(super) below: &'t [&'t TraceMutation<'t>],
}

impl MutationText<'_> {
    pub(super) fn render(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for case in self.report.cases.iter().filter(|case| case.left_out.is_none()) {
            lines.extend(self.render_case(case));
        }
        lines.push(String::new());
        lines.extend(self.traces.iter().map(|trace| self.render_trace(trace)));
        lines.extend(render_left_out(self.report).iter().map(|line| format!("left out: {line}")));
        lines.push(self.render_summary());
        lines.iter().map(|line| escape_line(line) + "\n").collect()
    }

    fn render_case(&self, case: &CaseMutation) -> Vec<String> {
        let (killed, all) = count_noticed(case);
        let at = &case.at;
        let mut lines = vec![format!("{}:{}  {}  {killed} of {all} noticed", at.file, at.line, case.name)];
        let survivors = self.list_survivors(case);
        lines.extend(survivors.iter().map(|mutant| render_survivor(mutant)));
        // Survivors are shown with the first case on a trace, so the counts of the others would not add up.
        let elsewhere = (all - killed).saturating_sub(survivors.len());
        if elsewhere > 0 && self.hidden.is_none() {
            lines.push(format!("  {elsewhere} more: noticed by other cases on the trace, or shown there"));
        }
        if !case.not_asked.is_empty() {
            let names = case.not_asked.join("`, `");
            lines.push(format!("  not asked again: `{names}` (the opinions stay as recorded)"));
        }
        if !case.not_run.is_empty() {
            let names = case.not_run.join("`, `");
            lines.push(format!("  left out: `{names}` (runs a program: `--allow-exec` lets it)"));
        }
        for run in &case.runs {
            if let Some(all) = run.sampled_from {
                lines.push(format!("  {}: {} of {all} mutants were tried", run.trace, run.mutants.len()));
            }
            if let Some(why) = &run.left_out {
                lines.push(format!("  {}: {why}", run.trace));
            }
        }
        lines.extend(case.unused_ignores.iter().map(|text| format!("  `{text}` ignores no mutant")));
        lines
    }

    /// The survivors that are shown with a case: those of its traces that no case notices, at the first of their cases.
    fn list_survivors<'c>(&'c self, case: &'c CaseMutation) -> Vec<&'c MutantResult> {
        if self.shows_all {
            return case.mutants().map(|(_, mutant)| mutant).filter(|mutant| mutant.is_survivor()).collect();
        }
        let survivors = self.traces.iter().flat_map(|trace| &trace.survivors);
        survivors.filter(|(first, _)| std::ptr::eq(*first, case)).map(|(_, mutant)| *mutant).collect()
    }

    fn render_trace(&self, trace: &TraceMutation<'_>) -> String {
        let cases = match trace.cases.as_slice() {
            [_] => "1 case".to_owned(),
            cases => format!("{} cases", cases.len()),
        };
        let all = trace.count_mutants();
        let below = if self.below.iter().any(|below| std::ptr::eq(*below, trace)) { ", too few" } else { "" };
        let ignored = match trace.ignored {
            0 => String::new(),
            count => format!(", {count} ignored"),
        };
        let undecided = match trace.count_undecided() {
            0 => String::new(),
            count => format!(", {count} undecided"),
        };
        format!("{}: {} of {all} noticed by {cases}{undecided}{ignored}{below}", trace.trace, trace.killed)
    }

    fn render_summary(&self) -> String {
        let counts = self.report.cases.iter().map(count_noticed);
        let (killed, all) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        let by_case = format!("{killed} of {all} ({})", render_percent(killed, all));
        let killed = self.traces.iter().map(|trace| trace.killed).sum();
        let all = self.traces.iter().map(TraceMutation::count_mutants).sum();
        let by_trace = format!("{killed} of {all} ({})", render_percent(killed, all));
        let cases = self.report.cases.iter().filter(|case| case.left_out.is_none()).count();
        let traces = self.traces.len();
        let mut parts = vec![format!(
            "cases: {cases}, noticed {by_case}; traces: {traces}, noticed by any case {by_trace}"
        )];
        if let Some(HiddenSurvivors { known, gone }) = self.hidden {
            let new: usize = self.traces.iter().map(|trace| trace.survivors.len()).sum();
            parts.push(format!("survivors: {new} new, {known} known, {gone} known before"));
        }
        if !self.below.is_empty() {
            parts.push(format!("traces below --min: {}", self.below.len()));
        }
        if self.report.untried > 0 {
            parts.push(render_interruption(self.report));
        }
        parts.join("; ")
    }
}

/// Says which part of the cases was tried before Ctrl-C.
pub(super) fn render_interruption(report: &MutationReport) -> String {
    let tried = report.cases.len();
    format!("interrupted: only {tried} of {} cases were tried", tried + report.untried)
}

/// Counts the mutants of a case that it notices, and all that it should notice.
fn count_noticed(case: &CaseMutation) -> (usize, usize) {
    let killed = case.mutants().filter(|(_, mutant)| mutant.is_killed()).count();
    let survived = case.mutants().filter(|(_, mutant)| mutant.is_survivor()).count();
    (killed, killed + survived)
}

fn render_percent(part: usize, all: usize) -> String {
    format!("{:.1} %", share(part, all) * 100.0)
}

fn render_survivor(mutant: &MutantResult) -> String {
    let described = format!("  survived: {}", mutant.change);
    match &mutant.fate {
        MutantFate::Survived { addition: Some(addition), .. } => {
            format!("{described:ADDITION_COLUMN$}  - {}", render_entry(addition))
        }
        _ => described,
    }
}

/// Renders the cases and files without mutants, by reason.
pub(super) fn render_left_out(report: &MutationReport) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in &report.cases {
        if let Some(why) = &case.left_out {
            // Only the first line: the further lines are about one case, and would split the group.
            reasons.entry(why.lines().next().unwrap_or_default()).or_default().push(&case.name);
        }
    }
    let mut lines: Vec<String> = reasons.iter().map(|(why, names)| render_group(why, names)).collect();
    for error in report.unread.iter().flat_map(|errors| errors.iter()) {
        lines.push(format!("{}: {}", error.place.locate(), error.problem));
    }
    lines
}

fn render_group(why: &str, names: &[&str]) -> String {
    let shown = names[..names.len().min(MAX_NAMES)].join("`, `");
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    format!("`{shown}`{more}: {why}")
}
