//! Writes the runs of an agent to the files in which its case looks for them.

use std::path::{Path, PathBuf};

use super::changes::{changes_folder, record_changes};
use super::discover::is_case_file;
use super::run_source::read_only_run;
use super::runs_error::RunsError;
use super::trace::{case_stem, case_stem_in, trace_home};
use crate::case::{AgentFingerprint, Case, OtherMaker, TraceFrom};
use crate::reader::to_native;
use crate::source::Files;
use crate::trace::Trace;
use crate::workspace::WorkspaceFacts;

/// Writes the `run`-th run of a case (from 1) in the file `path`: to the file that `trace` names, or to
/// `traces/<file stem>/<id>.json`; one of several to `traces/<file stem>/<id>/<n>.json`.
/// The changes of its workspace are written beside it.
pub fn record_run(
    case: &Case,
    path: &Path,
    files: &Files,
    run: u32,
    trace: &Trace,
    workspace: Option<&WorkspaceFacts>,
) -> Result<(), RunsError> {
    let path = recording(case, path, files, run)?;
    // A trace without its changes would be taken for a whole recording, so it comes last.
    if let Some(facts) = workspace {
        record_changes(&path, facts, files)?;
    }
    Ok(files.write(&path, to_native(trace).as_bytes())?)
}

/// Returns the numbers of the runs that are not recorded, or not by this `agent` for this input.
pub fn find_stale_runs(case: &Case, path: &Path, files: &Files, agent: &AgentFingerprint) -> Vec<u32> {
    let runs = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
    (1..=runs).filter(|run| !is_fresh(case, path, files, agent, *run)).collect()
}

/// A recording in the place of one of the case's runs that the case's agent, in its variant, did not make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignRecording {
    /// The file.
    pub file: String,
    /// The name of its maker: ``the agent `other` ``.
    pub maker: String,
}

/// Returns the first recording of another agent, or of another variant, in the place of one of the case's runs.
pub fn find_foreign_recording(
    case: &Case,
    path: &Path,
    files: &Files,
    agent: &AgentFingerprint,
) -> Option<ForeignRecording> {
    let runs = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
    (1..=runs).find_map(|run| {
        let recording = recording(case, path, files, run).ok().filter(|recording| files.exists(recording))?;
        let file = files.name(&recording);
        let recorded = read_only_run(recording, &case.readers, files).ok()?.ok()?;
        let maker = match agent.find_other_maker(&recorded.trace)? {
            OtherMaker::Agent(name) => format!("the agent `{name}`"),
            OtherMaker::Variant(name) => format!("the variant `{name}`"),
        };
        Some(ForeignRecording { file, maker })
    })
}

/// Whether a run is recorded for this input by this agent. What cannot be read as a run is recorded again.
fn is_fresh(case: &Case, path: &Path, files: &Files, agent: &AgentFingerprint, run: u32) -> bool {
    let Ok(recording) = recording(case, path, files, run) else { return false };
    if !files.exists(&recording) {
        return false;
    }
    // The changes of a workspace are a part of the recording.
    if case.workspace.is_some() && !files.exists(&changes_folder(&recording).join("manifest.json")) {
        return false;
    }
    // A damaged recording is replaced by a new one.
    let read = read_only_run(recording, &case.readers, files);
    matches!(read, Ok(Ok(run)) if agent.made_recording(case, &run.trace))
}

/// Returns the file of the `run`-th run of a case (from 1).
pub fn recording(case: &Case, path: &Path, files: &Files, run: u32) -> Result<PathBuf, RunsError> {
    let path = trace_home(case, path);
    let folder = path.parent().unwrap_or(path);
    let own = case_stem(case, path);
    match &case.trace {
        TraceFrom::File(file) => with_agent_name(folder, &file.path, files),
        _ if case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1) => Ok(own.join(format!("{run}.json"))),
        // An id may contain a dot.
        _ => Ok(PathBuf::from(format!("{}.json", own.display()))),
    }
}

/// The counterpart of the exchanges in a cassette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CassetteOf {
    /// The agent's model.
    Model,
    /// The MCP server of `mocks`.
    McpServer,
}

impl CassetteOf {
    /// Returns the name of findings about the cassette.
    pub fn check_name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::McpServer => "mocks",
        }
    }

    /// Describes who was asked.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::McpServer => "MCP server",
        }
    }
}

/// Returns the file with the exchanges of the `run`-th run of a case (from 1):
/// `cassettes/<file stem>/<id>.model.jsonl`, or `cassettes/<file stem>/<id>/<n>.model.jsonl` for one of several. Those with
/// an MCP server end with `.mcp.jsonl`.
pub fn cassette_path(case: &Case, path: &Path, run: u32, of: CassetteOf) -> PathBuf {
    let own = case_stem_in("cassettes", case, trace_home(case, path));
    let end = match of {
        CassetteOf::Model => "model.jsonl",
        CassetteOf::McpServer => "mcp.jsonl",
    };
    match &case.repeat {
        Some((runs, _)) if *runs > 1 => own.join(format!("{run}.{end}")),
        _ => PathBuf::from(format!("{}.{end}", own.display())),
    }
}

/// Resolves a file that a case names. A recording must not be read as a case.
fn with_agent_name(folder: &Path, name: &str, files: &Files) -> Result<PathBuf, RunsError> {
    let path = files.resolve(folder, name)?;
    if is_case_file(&path, files.root()) {
        return Err(RunsError::IsCase(name.to_owned()));
    }
    Ok(path)
}
