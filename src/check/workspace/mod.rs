//! Checks of the files that the agent left in its workspace.

pub(super) mod changes;
pub(super) mod file;
pub(super) mod files;
mod traced;

use crate::evidence::Evidence;
use crate::outcome::CannotDecide;
use crate::workspace::WorkspaceFacts;

/// The number of files that a message names.
const SHOWN: usize = 10;

/// Returns what is known of the files of the run.
fn find_facts<'e>(evidence: &'e Evidence<'_>) -> Result<&'e WorkspaceFacts, CannotDecide> {
    evidence.workspace.as_deref().ok_or_else(|| {
        CannotDecide::missing("nothing is known of the files of the run: it was not made in a workspace").help(
            "give the case a `workspace`, and run or record its agent: ARRAIGN_AGENT_MODE=record cargo test",
        )
    })
}

/// Lists paths in backticks, and counts those beyond the first ones.
fn list_paths<'p>(paths: impl IntoIterator<Item = &'p str>) -> String {
    let all: Vec<&str> = paths.into_iter().collect();
    let mut shown: Vec<String> = all.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
    if all.len() > SHOWN {
        shown.push(format!("{} more", all.len() - SHOWN));
    }
    shown.join(", ")
}
