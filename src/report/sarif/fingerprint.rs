//! Fingerprints: they identify a result across runs, even if its line moves.

use std::collections::HashMap;

use crate::outcome::LocatedViolation;
use crate::verdict::Verdict;

/// Counts equal results, so that no two results of a run share a fingerprint.
#[derive(Default)]
pub(super) struct Fingerprints(HashMap<u64, usize>);

impl Fingerprints {
    /// Returns the fingerprint of a violation of `check`, or of an undecided check if `violation` is `None`. Places and
    /// messages are not part of it: they contain line and call numbers, which change between runs.
    pub(super) fn compute_fingerprint(
        &mut self,
        verdict: &Verdict,
        check: &str,
        violation: Option<&LocatedViolation>,
    ) -> String {
        let facts = violation.map(|violation| {
            [&violation.tool, &violation.argument, &violation.constraint, &violation.policy]
        });
        let facts = facts.into_iter().flatten().map(|part| part.as_deref().unwrap_or_default());
        let setting = violation.map(extract_marked_text).unwrap_or_default();
        let parts = [verdict.case.file.as_str(), &verdict.name, check, &setting].into_iter().chain(facts);
        let hash = parts.fold(FNV_OFFSET, hash_part);
        let count = self.0.entry(hash).or_default();
        *count += 1;
        format!("{hash:016x}:{count}")
    }
}

/// Returns the text under the caret.
fn extract_marked_text(violation: &LocatedViolation) -> String {
    let at = &violation.at;
    at.text
        .chars()
        // The beginning of a long line may have been cut off, which moves the columns.
        .skip(at.column.saturating_sub(1 + at.skipped))
        .take(at.end_column.saturating_sub(at.column))
        .collect()
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a part to an FNV-1a hash, which is the same on every machine and in every version. The byte 0xff, which UTF-8
/// never contains, ends each part.
fn hash_part(hash: u64, part: &str) -> u64 {
    part.bytes()
        .chain([0xff])
        .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
