//! `arraign.yaml` at the eval root: the settings that all suites share.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;

use super::agent::{WrittenDescription, build_named_agents};
use super::discover::WORKSPACE_FILE;
use super::variants::{parse_matrix, parse_variants, refuse_same_names};
use crate::case::{AgentLimits, NamedAgent, Variant};
use crate::check::{InputMatch, Registry, Scope, ScriptInScope, Tables, declare_in};
use crate::place::{LoadError, LoadErrors, Place};
use crate::reader::ReaderSet;
use crate::source::Files;
use crate::vocabulary::check_criteria;
use crate::yaml::{Fields, FileSize, Node, OrderedMap, Placed};

/// The settings that all suites share.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Workspace {
    /// The tables of their checks.
    pub tables: Tables,
    /// The agents that their cases may name.
    pub agents: Vec<NamedAgent>,
    /// The variants of the agents, in the order of the file.
    pub variants: Vec<Variant>,
    /// The limits on agents that run.
    pub agent_limits: AgentLimits,
    /// The largest file that is read, in bytes.
    pub size_limit: Option<u64>,
    /// Folders outside of the eval root, relative to it, whose files cases may name.
    pub roots: Vec<Placed<String>>,
    /// The number of runs of a harness whose verdicts are kept.
    pub keep_runs: Option<NonZeroUsize>,
    /// The most days that a case is quarantined.
    pub quarantine_days: Option<NonZeroU32>,
}

/// The readers that the file at `path` declares: `arraign.yaml`, a suite, or a file of readers alone.
pub fn load_readers(path: &Path, files: &Files) -> Result<ReaderSet, LoadErrors> {
    let source = files.source(path)?;
    let declared = declare_in(&source)?;
    if declared.readers.is_empty() {
        let problem = "the file declares no readers: it has no key `readers`";
        return Err(LoadError::new(Place::of_file(source.name()), problem).into());
    }
    Ok(declared.readers)
}

/// Reads the settings for all suites, if the file exists.
pub fn workspace(files: &Files, kinds: &Registry) -> Result<Workspace, LoadErrors> {
    let path = files.root().join(WORKSPACE_FILE);
    if !files.exists(&path) {
        return Ok(Workspace::default());
    }
    let document = files.document(&path)?;
    let mut fields = Fields::of(document.root(), "`arraign.yaml`")?;
    let mut tables = Tables::default().extended(&mut fields);
    tables.shared_input_match = fields.parse("input_match", InputMatch::parse);
    if let Some(node) = fields.node("weights") {
        tables.weights = fields.take(tables.weights.overridden(node, kinds)).unwrap_or_default();
    }
    let readers = tables.readers.names();
    let agents =
        fields.parse("agents", Node::decode_all::<Placed<OrderedMap<String, Placed<WrittenDescription>>>>);
    let agents = agents.and_then(|agents| fields.take(build_named_agents(agents, &readers)));
    let size_limit = fields.optional("size_limit").map(|FileSize(bytes)| bytes);
    let roots = fields.parse("roots", Node::decode_all::<Vec<Placed<String>>>).unwrap_or_default();
    let keep_runs = fields.node("keep_runs").and_then(|node| fields.take(node.decode::<NonZeroUsize>()));
    let quarantine_days =
        fields.node("quarantine_days").and_then(|node| fields.take(node.decode::<NonZeroU32>()));
    let agent_limits = fields.parse("agent_limits", Node::decode_all::<AgentLimits>).unwrap_or_default();
    let agents = agents.unwrap_or_default();
    let scope = Scope { kinds, files, folder: files.root(), tables: &tables, script: ScriptInScope::Absent };
    fields.take(check_criteria(&tables.criteria, &scope));
    let root = document.root();
    let mut variants = Vec::new();
    if fields.node("variants").is_some() {
        variants.extend(fields.take(parse_variants(root, &scope)).unwrap_or_default());
    }
    if fields.node("matrix").is_some() {
        variants.extend(fields.take(parse_matrix(root)).unwrap_or_default());
    }
    fields.take(refuse_same_names(&variants, &agents));
    fields.finish(Workspace {
        tables,
        agents,
        variants,
        agent_limits,
        size_limit,
        roots,
        keep_runs,
        quarantine_days,
    })
}
