//! The agents of cases as they are today: which one a case asks, and its fingerprint.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::agent::{Agents, ConfiguredAgent, fingerprint_workspace};
use crate::case::{AgentFingerprint, AgentFrom, AgentUse, Case, UNNAMED_AGENT, VARIANT_PART, Variant};
use crate::place::LoadError;
use crate::source::{FileFingerprints, InputHasher, fingerprint_bytes, lock};

/// The name of the workspace among the files that an agent depends on.
const WORKSPACE: &str = "workspace";

/// The name of the mock tools among the files that an agent depends on.
const MOCKS: &str = "mocks";

/// The agents of a harness, and the fingerprints of those that cases have asked for.
pub(super) struct TodaysAgents {
    pub(super) agents: Agents,
    hashed: Mutex<HashedAgents>,
}

struct HashedAgents {
    hasher: InputHasher,
    /// Many cases share one agent, so each is hashed once: by its definition and its globs.
    known: HashMap<String, Arc<AgentFingerprint>>,
}

impl TodaysAgents {
    /// Creates the registry for the package in the folder `base`. Processes of one run share hashes of files in `shared`.
    pub(super) fn new(agents: Agents, base: &Path, shared: Option<PathBuf>) -> Self {
        let hashed = HashedAgents { hasher: InputHasher::new(base, shared), known: HashMap::new() };
        Self { agents, hashed: Mutex::new(hashed) }
    }

    /// Returns the agent that a case asks, with the files and the model of its variant, and the agent's name. `None` for an unknown name, and
    /// for a case without an agent.
    pub(super) fn find_agent(&self, case: &Case) -> Option<(String, ConfiguredAgent)> {
        let (name, mut agent) = self.agents.find_agent(&case.agent.as_ref()?.from)?;
        if let Some(variant) = &case.variant {
            agent.inputs.extend_from_slice(&variant.inputs);
            if let Some(model) = &variant.model {
                agent.definition["model"] = model.define();
                agent.model = Some(model.clone());
            }
        }
        Some((name, agent))
    }

    /// Returns the fingerprint of the agent that a case asks. `None` for a case without an agent. The error is about a glob.
    pub(super) fn fingerprint_of(&self, case: &Case) -> Result<Option<Arc<AgentFingerprint>>, LoadError> {
        let Some(used) = &case.agent else { return Ok(None) };
        let Some((name, agent)) = self.find_agent(case) else { return Ok(None) };
        let variant = case.variant.as_deref();
        let settings = variant.and_then(Variant::define).map(|settings| settings.to_canonical().to_string());
        let mocks = case.mocks.as_ref().map(|mocks| mocks.definition.to_canonical().to_string());
        // A name of the agent is part of its recordings. One that is described in the case has none: its program may change.
        let name_in_recording = match &used.from {
            AgentFrom::Named(name) => name.as_str(),
            AgentFrom::Here(_) => UNNAMED_AGENT,
        };
        // What the agent finds in its workspace decides what it does, as its own files do.
        let workspace = case.workspace.as_ref().map(|settings| {
            fingerprint_workspace(settings, |name| std::env::var_os(name))
                .map_err(|problem| LoadError::new(settings.place.clone(), problem))
        });
        let workspace = workspace.transpose()?;
        let variant_in_recording =
            variant.filter(|variant| !variant.is_baseline()).map(|variant| variant.name.clone());
        let mut key = format!(
            "{name_in_recording}\n{:?}\n{}\n{}\n{variant_in_recording:?}\n{}",
            agent.input_match,
            agent.definition,
            mocks.as_deref().unwrap_or_default(),
            settings.as_deref().unwrap_or_default()
        );
        key.push_str(workspace.as_deref().unwrap_or_default());
        for glob in &agent.inputs {
            key.push('\n');
            key.push_str(glob.pattern.as_str());
        }
        // The lock is held while the files are hashed: many trials ask for the same agent at once, and each file is
        // read only once.
        let mut hashed = lock(&self.hashed);
        if let Some(known) = hashed.known.get(&key) {
            return Ok(Some(Arc::clone(known)));
        }
        let mut files = hash_inputs(&mut hashed.hasher, &name, &agent, used)?;
        if let Some(mocks) = mocks {
            // The tools decide what the agent does, as its files do.
            let hash = fingerprint_bytes(mocks.as_bytes());
            files.get_or_insert_default().insert(MOCKS.to_owned(), hash);
        }
        if let Some(hash) = workspace {
            files.get_or_insert_default().insert(WORKSPACE.to_owned(), hash);
        }
        if let Some(settings) = settings {
            let hash = fingerprint_bytes(settings.as_bytes());
            files.get_or_insert_default().insert(VARIANT_PART.to_owned(), hash);
        }
        let definition = fingerprint_bytes(agent.definition.to_canonical().to_string().as_bytes());
        let fingerprint = Arc::new(AgentFingerprint {
            name: name_in_recording.to_owned(),
            variant: variant_in_recording,
            definition,
            files,
            input_match: agent.input_match,
        });
        hashed.known.insert(key, Arc::clone(&fingerprint));
        Ok(Some(fingerprint))
    }

    /// Keeps the hashes of files for the other processes of the run.
    pub(super) fn share_hashes(&self) {
        lock(&self.hashed).hasher.share_hashes();
    }
}

/// Hashes the files of an agent's `inputs`. `None` for an agent without them.
fn hash_inputs(
    hasher: &mut InputHasher,
    name: &str,
    agent: &ConfiguredAgent,
    used: &AgentUse,
) -> Result<Option<FileFingerprints>, LoadError> {
    if agent.inputs.is_empty() {
        return Ok(None);
    }
    let mut files = FileFingerprints::new();
    for glob in &agent.inputs {
        // An input that cannot be hashed is an error: a change of it would never be noticed.
        files.extend(
            hasher.hash_matching(glob.pattern.fixed_part(), |name| glob.pattern.matches(name)).map_err(
                |problem| {
                    let place = glob.place.as_ref().unwrap_or(&used.place).clone();
                    let error = LoadError::new(
                        place,
                        format!("`{}` in `inputs` of `{name}`: {problem}", glob.pattern.as_str()),
                    );
                    error.help("globs are relative to the package; files that git ignores do not count")
                },
            )?,
        );
    }
    Ok(Some(files))
}
