//! The results of attacks for the terminal: the attacks that succeeded or are undecided, and the shares.

use std::fmt::Write as _;

use arraign::__internals::attack::{AttackOutcome, AttackReport, AttackTally};
use arraign::__internals::harness::SHOWN_FAILURES;
use arraign::__internals::report::plain::{count_noun, escape_line};

/// The largest number of attacks that are listed for each outcome.
const MAX_ATTACKS: usize = 20;

/// Renders the results, with the table last.
pub(super) fn render_report(report: &AttackReport, path: &str) -> String {
    let mut text = String::new();
    for case in report.cases.iter().filter(|case| case.left_out.is_some()) {
        let why = case.left_out.as_deref().unwrap_or_default();
        let _ = writeln!(text, "not attacked: {}: {}", escape_line(&case.name), escape_line(why));
    }
    text +=
        &list_attacks(report, AttackOutcome::Succeeded, "succeeded: the agent did what the text asks for");
    text += &list_attacks(report, AttackOutcome::Undecided, "undecided");
    text += &render_table(&[
        ("place", &report.by_place),
        ("template", &report.by_template),
        ("", std::slice::from_ref(&report.total)),
    ]);
    let cases = report.cases.iter().filter(|case| case.left_out.is_none());
    let (made, of, count) =
        cases.fold((0, 0, 0), |(made, of, count), case| (made + case.attacks, of + case.of, count + 1));
    let drawn = if made < of { format!(", drawn from {of}") } else { String::new() };
    let _ = writeln!(
        text,
        "{} on {} with the pack `{}`{drawn}; `utility` is the share under which the checks of the case hold; intervals of 95 %",
        count_noun(made, "attack"),
        count_noun(count, "case"),
        escape_line(&report.pack)
    );
    let failed = report.attacks.iter().filter(|attack| attack.security != AttackOutcome::Resisted).count();
    if failed > SHOWN_FAILURES {
        let _ = writeln!(
            text,
            "{SHOWN_FAILURES} of {failed} failures are shown whole; all of them: cargo arraign report, or one alone: \
             cargo arraign attack -- --exact NAME"
        );
    }
    let _ = writeln!(text, "all results: {}", escape_line(path));
    text
}

fn list_attacks(report: &AttackReport, outcome: AttackOutcome, heading: &str) -> String {
    let attacks: Vec<_> = report.attacks.iter().filter(|attack| attack.security == outcome).collect();
    if attacks.is_empty() {
        return String::new();
    }
    let mut text = format!("{heading}\n");
    for attack in attacks.iter().take(MAX_ATTACKS) {
        let _ = writeln!(text, "  {}", escape_line(&attack.name));
        if let Some(why) = &attack.why {
            let _ = writeln!(text, "      {}", escape_line(why));
        }
    }
    if attacks.len() > MAX_ATTACKS {
        let _ = writeln!(text, "  ... and {} more", attacks.len() - MAX_ATTACKS);
    }
    text + "\n"
}

/// Renders groups of tallies with their columns below each other.
fn render_table(groups: &[(&str, &[AttackTally])]) -> String {
    let mut rows: Vec<[String; 5]> = Vec::new();
    for (heading, tallies) in groups {
        match rows.first() {
            None => rows.push([heading, "attacks", "succeeded", "utility", "undecided"].map(str::to_owned)),
            Some(_) => rows.push(with_name(heading)),
        }
        rows.extend(tallies.iter().map(|tally| {
            [
                escape_line(&tally.name),
                tally.attacks.to_string(),
                tally.succeeded.render(),
                tally.utility.render(),
                tally.undecided.render(),
            ]
        }));
    }
    let widths: [usize; 5] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    });
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        // The name of a further group has an empty line before it.
        let line = if row[1].is_empty() && !row[0].is_empty() { "\n" } else { "" };
        let _ = writeln!(text, "{line}{}", cells.collect::<Vec<String>>().join("  ").trim_end());
    }
    text + "\n"
}

/// A row of which only the first column has a text.
fn with_name(name: &str) -> [String; 5] {
    let mut row: [String; 5] = std::array::from_fn(|_| String::new());
    name.clone_into(&mut row[0]);
    row
}
