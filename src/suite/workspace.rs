//! `arraign.yaml` at the eval root: what all suites share.

use super::agent::parse_named_agents;
use super::discover::WORKSPACE_FILE;
use crate::case::NamedAgent;
use crate::check::{Registry, Tables};
use crate::place::LoadErrors;
use crate::source::Files;
use crate::yaml::Fields;

/// What all suites share.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Workspace {
    /// What their checks look up.
    pub tables: Tables,
    /// The agents that their cases may name.
    pub agents: Vec<NamedAgent>,
}

/// What the file says for all suites, if there is one.
pub fn workspace(files: &Files, kinds: &Registry) -> Result<Workspace, LoadErrors> {
    let path = files.root().join(WORKSPACE_FILE);
    if !files.exists(&path) {
        return Ok(Workspace::default());
    }
    let document = files.document(&path)?;
    let mut fields = Fields::of(document.root(), "`arraign.yaml`")?;
    let mut tables = Tables::default().extended(&mut fields);
    if let Some(node) = fields.node("weights") {
        tables.weights = fields.take(tables.weights.overridden(node, kinds)).unwrap_or_default();
    }
    let agents =
        fields.node("agents").and_then(|node| fields.take(parse_named_agents(node))).unwrap_or_default();
    fields.finish(Workspace { tables, agents })
}
