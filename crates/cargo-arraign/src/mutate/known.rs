//! The file of known survivors: by trace, the names of the mutants that no case notices.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use arraign::__internals::mutate::TraceMutation;
use arraign::__internals::source::write_whole;
use arraign::json;
use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// The version of the file.
const VERSION: u32 = 1;

/// The known survivors.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownSurvivors {
    version: u32,
    /// The names of the mutants by trace.
    survivors: BTreeMap<String, BTreeSet<String>>,
}

/// The number of survivors that are known, and of known ones that are noticed now.
#[derive(Debug, Clone, Copy)]
pub(super) struct HiddenSurvivors {
    pub(super) known: usize,
    pub(super) gone: usize,
}

impl KnownSurvivors {
    /// Takes the survivors of all traces.
    pub(super) fn from_traces(traces: &[TraceMutation<'_>]) -> Self {
        let with_survivors = traces.iter().filter(|trace| !trace.survivors.is_empty());
        let survivors = with_survivors.map(|trace| {
            let names = trace.survivors.iter().map(|(_, mutant)| mutant.id.clone()).collect();
            (trace.trace.to_owned(), names)
        });
        Self { version: VERSION, survivors: survivors.collect() }
    }

    pub(super) fn read_file(path: &Path) -> Result<Self, CliError> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            CliError::new(format!("{name}: {error}\n`--write-baseline {name}` writes it"))
        })?;
        let known: Self = json::from_str(&text).map_err(|error| CliError::new(format!("{name}: {error}")))?;
        if known.version != VERSION {
            let version = known.version;
            return Err(CliError::new(format!("{name}: version {version} is not {VERSION}: write it again")));
        }
        Ok(known)
    }

    pub(super) fn write_file(&self, path: &Path) -> Result<(), CliError> {
        let text = json::to_string_pretty(self)? + "\n";
        write_whole(path, text.as_bytes())
            .map_err(|error| CliError::new(format!("{}: {error}", path.display())))
    }

    /// Removes the known survivors from the traces.
    pub(super) fn hide_survivors(&self, traces: &mut [TraceMutation<'_>]) -> HiddenSurvivors {
        let all: usize = self.survivors.values().map(BTreeSet::len).sum();
        let mut known = 0;
        for trace in traces {
            let Some(names) = self.survivors.get(trace.trace) else { continue };
            let before = trace.survivors.len();
            trace.survivors.retain(|(_, mutant)| !names.contains(&mutant.id));
            known += before - trace.survivors.len();
        }
        HiddenSurvivors { known, gone: all.saturating_sub(known) }
    }
}
