//! What makes a result the same one in the next run, wherever its line has gone.

use std::collections::HashMap;

use crate::outcome::LocatedViolation;
use crate::verdict::Verdict;

/// Counts what would look the same, so that no two results of a run have one fingerprint.
#[derive(Default)]
pub(super) struct Fingerprints(HashMap<u64, usize>);

impl Fingerprints {
    /// That of a violation of `check`; of an open question where there is no violation. Neither places nor messages,
    /// which hold numbers of calls, are part of it.
    pub(super) fn of(&mut self, verdict: &Verdict, check: &str, breach: Option<&LocatedViolation>) -> String {
        let told = breach.map(|breach| [&breach.tool, &breach.argument, &breach.constraint, &breach.policy]);
        let told = told.into_iter().flatten().map(|part| part.as_deref().unwrap_or_default());
        let setting = breach.map(marked).unwrap_or_default();
        let parts = [verdict.case.file.as_str(), &verdict.name, check, &setting].into_iter().chain(told);
        let hash = parts.fold(OFFSET, add);
        let count = self.0.entry(hash).or_default();
        *count += 1;
        format!("{hash:016x}:{count}")
    }
}

/// The text under the caret.
fn marked(breach: &LocatedViolation) -> String {
    let at = &breach.at;
    at.text.chars().skip(at.column.saturating_sub(1)).take(at.end_column.saturating_sub(at.column)).collect()
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, the same on every machine and in every version; a part ends with a byte that no text holds.
fn add(hash: u64, part: &str) -> u64 {
    part.bytes()
        .chain([0xff])
        .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
