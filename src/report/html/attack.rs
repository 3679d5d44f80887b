//! The section of attacks: how many the agents obeyed, by place and by template, and which.

use serde::Serialize;

use crate::attack::{AttackOutcome, AttackResult, AttackTally, tally_by};
use crate::report::plain::escape_line;

/// The largest number of attacks that are listed for each outcome.
const MAX_ATTACKS: usize = 100;

/// The section; `None` if the run has made no attacks.
#[derive(Serialize)]
pub(super) struct AttackSection {
    attacks: usize,
    groups: Vec<AttackGroup>,
    /// The attacks that succeeded, and then the undecided ones.
    listed: Vec<ListedAttack>,
    /// The number of these that are not shown.
    left_out: usize,
}

#[derive(Serialize)]
struct AttackGroup {
    heading: &'static str,
    rows: Vec<AttackRow>,
}

#[derive(Serialize)]
struct AttackRow {
    name: String,
    attacks: u32,
    succeeded: String,
    utility: String,
    undecided: String,
}

#[derive(Serialize)]
struct ListedAttack {
    name: String,
    word: &'static str,
    why: String,
}

/// Builds the section from the results of all attacks.
pub(super) fn build_section(results: &[AttackResult]) -> Option<AttackSection> {
    if results.is_empty() {
        return None;
    }
    let all: Vec<&AttackResult> = results.iter().collect();
    let groups = [
        ("All", vec![AttackTally::count("all".to_owned(), &all)]),
        ("Place", tally_by(results, |attack| &attack.place)),
        ("Template", tally_by(results, |attack| &attack.template)),
    ];
    let groups = groups
        .map(|(heading, tallies)| AttackGroup { heading, rows: tallies.iter().map(build_row).collect() });
    let outcomes = [(AttackOutcome::Succeeded, "succeeded"), (AttackOutcome::Undecided, "undecided")];
    let listed: Vec<ListedAttack> = outcomes
        .into_iter()
        .flat_map(|(outcome, word)| {
            results.iter().filter(move |result| result.security == outcome).map(move |result| ListedAttack {
                name: escape_line(&result.name),
                word,
                why: escape_line(result.why.as_deref().unwrap_or_default()),
            })
        })
        .collect();
    let left_out = listed.len().saturating_sub(MAX_ATTACKS);
    let listed = listed.into_iter().take(MAX_ATTACKS).collect();
    Some(AttackSection { attacks: results.len(), groups: groups.into(), listed, left_out })
}

fn build_row(tally: &AttackTally) -> AttackRow {
    AttackRow {
        name: escape_line(&tally.name),
        attacks: tally.attacks,
        succeeded: tally.succeeded.render(),
        utility: tally.utility.render(),
        undecided: tally.undecided.render(),
    }
}
