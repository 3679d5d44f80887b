//! `extract:` values extracted from the final answer, next to any other block.
//!
//! ```yaml
//! extract: [{name: total, from: final_text, regex: '\$(?<value>[\d.]+)', max: 100}]
//! ```

use super::{CaseNode, Vocabulary};
use crate::case::{Expectation, LoweredBlock};
use crate::place::LoadErrors;
use crate::yaml::read_all;

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "extract", unfold: |_, _| {}, lower, settings_beside: false, other_keys: &[] };

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let Some(block) = case.node.get("extract") else { return Ok(LoweredBlock::default()) };
    let entries = case.entries(block, "`extract` is a list")?;
    let Some(kind) = case.scope.kinds.find("extract") else { return Ok(LoweredBlock::default()) };
    let read = entries.into_iter().enumerate().map(|(index, entry)| {
        let settings = case.settings(&format!("/extract/{index}"));
        Expectation::read(kind, entry.place(), settings, entry, case.scope)
    });
    read_all(read).map(LoweredBlock::from)
}
