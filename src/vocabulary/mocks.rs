//! `mocks`: a decoy is a tool that the agent must not call.

use super::gathered_settings::GatheredSettings;
use super::{CaseNode, Vocabulary};
use crate::case::LoweredBlock;
use crate::place::LoadErrors;

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "mocks", other_keys: &[], unfold: |_, _| {}, lower, settings_beside: false };

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let Some(decoys) = case.node.get("mocks").and_then(|mocks| mocks.get("decoys")) else {
        return Ok(LoweredBlock::default());
    };
    let settings = GatheredSettings::at(decoys).with("blocklist", Some(decoys));
    Ok(vec![settings.read("tool_blocklist", case.scope)?].into())
}
