//! The runs of a case: located first, and read one by one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Mutex;

use super::changes::load_changes;
use super::join::find_joined_runs;
use super::name::build_run_name;
use super::record::recording;
use super::run_source::RunSource;
use super::runs_error::{LostRun, RunsError};
use super::trace::{find_glob_start, find_trace_files, trace_home};
use crate::case::{Case, RunReading, TraceFile, TraceFrom};
use crate::source::{Files, lock};
use crate::trace::Trace;
use crate::workspace::{RunWorkspace, WorkspaceNeeds};

/// The format of a run that was not recorded: its agent's answer.
pub const LIVE: &str = "live";

/// One run of a case, and the file it was read from.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// The file. `None` for a trace in the case, or for the answer of its agent.
    pub file: Option<String>,
    /// The format of the file, or [`LIVE`].
    pub format: &'static str,
    /// The run.
    pub trace: Trace,
    /// The workspace of the run, if the case has one and something is known of it.
    pub workspace: Option<RunWorkspace>,
}

/// The runs of a case. Runs in large files are located first, and read when they are needed.
#[derive(Debug)]
pub struct CaseRuns {
    sources: Vec<RunSource>,
    /// The runs that the agent did not give, by number from 0. They are not among those of the sources.
    lost: BTreeMap<usize, LostRun>,
    /// The number of runs that belong to the case.
    count: usize,
    /// The number of recorded runs that `repeat` leaves out.
    left_out: usize,
    /// What the case knows of the runs.
    reading: RunReading,
    /// What the checks of the case read of its workspace. `None` for a case without one.
    needs: Option<WorkspaceNeeds>,
    together: Mutex<CollectedRuns>,
}

/// Runs that were read together with a requested one. With one trial for each run, their trials come next.
#[derive(Debug, Default)]
struct CollectedRuns {
    /// The number of the first run, from 0.
    from: usize,
    runs: VecDeque<Option<RecordedRun>>,
}

impl From<Vec<RecordedRun>> for CaseRuns {
    fn from(runs: Vec<RecordedRun>) -> Self {
        runs.into_iter().map(Ok).collect()
    }
}

/// Collects the runs of an agent in order, some of which it may not have given.
impl FromIterator<Result<RecordedRun, LostRun>> for CaseRuns {
    fn from_iter<I: IntoIterator<Item = Result<RecordedRun, LostRun>>>(results: I) -> Self {
        let mut runs = Vec::new();
        let mut lost = BTreeMap::new();
        for (number, result) in results.into_iter().enumerate() {
            match result {
                Ok(run) => runs.push(run),
                Err(run) => {
                    lost.insert(number, run);
                }
            }
        }
        let count = runs.len() + lost.len();
        Self { lost, ..Self::of_sources(vec![RunSource::Read(runs)], count) }
    }
}

impl CaseRuns {
    /// Finds the runs of a case in the file `path`.
    pub fn find_runs(case: &Case, path: &Path, files: &Files) -> Result<Self, RunsError> {
        let sources = match &case.trace {
            TraceFrom::Inline(trace) => {
                let run =
                    RecordedRun { file: None, format: "inline", trace: (**trace).clone(), workspace: None };
                vec![RunSource::Read(vec![run])]
            }
            TraceFrom::File(file @ TraceFile { joined: Some((group, number)), .. }) => {
                let (runs, numbers) = find_joined_runs(case, file, group, *number, path, files)?;
                vec![RunSource::Joined { runs, numbers }]
            }
            TraceFrom::File(_) | TraceFrom::Lookup => Self::find_sources(case, path, files)?,
        };
        let found = sources.iter().map(RunSource::len).sum();
        let count = case.repeat.as_ref().map_or(found, |(wanted, _)| *wanted as usize);
        // A case that asks for several runs proves nothing with fewer.
        if found < count {
            return Err(RunsError::TooFew { wanted: count, found });
        }
        let reading = match &case.trace {
            TraceFrom::File(file) => file.reading.clone(),
            TraceFrom::Inline(_) | TraceFrom::Lookup => RunReading::default(),
        };
        let needs = case.workspace.as_ref().map(|_| case.workspace_needs());
        Ok(Self { left_out: found - count, reading, needs, ..Self::of_sources(sources, count) })
    }

    /// Finds the recordings of a case whose agent was just asked for `count` runs, and did not give those in `lost` (by number
    /// from 1). What an earlier run left in their place is not one of them.
    pub fn find_recordings(
        case: &Case,
        path: &Path,
        files: &Files,
        count: u32,
        mut lost: BTreeMap<u32, LostRun>,
    ) -> Result<Self, RunsError> {
        let recorded = (1..=count).filter(|number| !lost.contains_key(number));
        let sources: Result<Vec<RunSource>, RunsError> = recorded
            .map(|number| {
                let recording = recording(case, path, files, number)?;
                RunSource::of_case(case, &recording, path.parent().unwrap_or(path), files)
            })
            .collect();
        let lost =
            (0..count as usize).zip(1..=count).filter_map(|(at, number)| Some((at, lost.remove(&number)?)));
        let needs = case.workspace.as_ref().map(|_| case.workspace_needs());
        Ok(Self { lost: lost.collect(), needs, ..Self::of_sources(sources?, count as usize) })
    }

    fn of_sources(sources: Vec<RunSource>, count: usize) -> Self {
        Self {
            sources,
            lost: BTreeMap::new(),
            count,
            left_out: 0,
            reading: RunReading::default(),
            needs: None,
            together: Mutex::default(),
        }
    }

    /// Finds all runs in the files of a case, also those of other cases that share the files.
    pub(super) fn find_in_files(case: &Case, path: &Path, files: &Files) -> Result<Self, RunsError> {
        let sources = Self::find_sources(case, path, files)?;
        let count = sources.iter().map(RunSource::len).sum();
        Ok(Self::of_sources(sources, count))
    }

    fn find_sources(case: &Case, path: &Path, files: &Files) -> Result<Vec<RunSource>, RunsError> {
        let found = find_trace_files(case, path, files)?.into_iter();
        let home = trace_home(case, path);
        let folder = home.parent().unwrap_or(home);
        found.map(|path| RunSource::of_case(case, &path, folder, files)).collect()
    }

    /// Returns the run of this number, from 0.
    pub(super) fn find_run(&self, number: usize, files: &Files) -> Result<Cow<'_, RecordedRun>, RunsError> {
        match self.find_source(number) {
            Some((RunSource::Read(runs), own)) => {
                runs.get(own).map(Cow::Borrowed).ok_or(RunsError::NoRun(number + 1))
            }
            _ => self.read_run(number, files).map(Cow::Owned),
        }
    }

    /// Returns the names of the trials of a case with one trial for each run. `case_name` is the name of the case.
    ///
    /// The runs of a glob are named after their files, so that a file that is added or deleted renames no trial of another
    /// one. The runs of a single file have numbers.
    pub fn name_trials(
        &self,
        case_name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<Vec<String>, RunsError> {
        let Some(start) = find_glob_start(case, path, files)? else {
            return Ok((1..=self.len()).map(|number| format!("{case_name}::run_{number}")).collect());
        };
        let mut names = Vec::new();
        let mut known = HashSet::new();
        for (trace, source) in find_trace_files(case, path, files)?.iter().zip(&self.sources) {
            let below = trace.strip_prefix(&start).unwrap_or(trace);
            let stem = if trace.is_dir() { below.to_owned() } else { below.with_extension("") };
            let own: Vec<String> = if source.len() == 1 {
                vec![build_run_name(case_name, &stem, None)]
            } else {
                let ids = find_ids(source, files)?.into_iter();
                ids.map(|id| build_run_name(case_name, &stem, Some(&id))).collect()
            };
            for name in own {
                if !known.insert(name.clone()) {
                    let trace = files.name(trace);
                    return Err(RunsError::SameName { trial: name, trace });
                }
                names.push(name);
            }
        }
        names.truncate(self.len());
        Ok(names)
    }

    /// Returns the number of runs.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the number of recorded runs that `repeat` leaves out.
    pub fn count_left_out(&self) -> usize {
        self.left_out
    }

    /// Whether there are no runs.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Reads all runs, one after the other. A run that the agent did not give is [`RunsError::Lost`].
    pub fn each_run<'s>(
        &'s self,
        files: &'s Files,
    ) -> impl Iterator<Item = Result<Cow<'s, RecordedRun>, RunsError>> + 's {
        let mut read = self.sources.iter().flat_map(move |source| source.each(files));
        (0..self.count).map_while(move |number| {
            if let Some(lost) = self.lost.get(&number) {
                return Some(Err(RunsError::Lost(Box::new(lost.clone()))));
            }
            Some(read.next()?.and_then(|run| self.add_workspace(self.apply_reading(run), files)))
        })
    }

    /// Adds what was recorded of the workspace of a run.
    fn add_workspace<'s>(
        &self,
        mut run: Cow<'s, RecordedRun>,
        files: &Files,
    ) -> Result<Cow<'s, RecordedRun>, RunsError> {
        if let (Some(needs), Some(file), None) = (&self.needs, &run.file, &run.workspace)
            && let Some(workspace) = load_changes(&files.base().join(file), needs, files)?
        {
            run.to_mut().workspace = Some(workspace);
        }
        Ok(run)
    }

    /// Applies what the case knows of its runs to one of them.
    fn apply_reading<'s>(&self, mut run: Cow<'s, RecordedRun>) -> Cow<'s, RecordedRun> {
        if self.reading.concerns(&run.trace) {
            self.reading.apply(&mut run.to_mut().trace);
        }
        run
    }

    /// Reads the run of this number, from 0. Runs that are requested in order are usually read already.
    pub fn read_run(&self, number: usize, files: &Files) -> Result<RecordedRun, RunsError> {
        let mut together = lock(&self.together);
        if let Some(run) = together.take(number) {
            return Ok(run);
        }
        let (source, own) = self.find_source(number).ok_or(RunsError::NoRun(number + 1))?;
        // A file that has grown meanwhile must not shift the runs of the next.
        let runs = source.read_from(own, files)?.into_iter().take(source.len() - own);
        let runs = runs.map(|run| {
            let run = self.add_workspace(self.apply_reading(Cow::Owned(run)), files)?;
            Ok(Some(run.into_owned()))
        });
        *together = CollectedRuns { from: number, runs: runs.collect::<Result<_, RunsError>>()? };
        together.take(number).ok_or(RunsError::NoRun(number + 1))
    }

    /// Returns the source of the run of this number, and the number in that source.
    fn find_source(&self, number: usize) -> Option<(&RunSource, usize)> {
        // The runs are numbered across all sources, so each source begins where the one before ends.
        let mut before = 0;
        self.sources.iter().find_map(|source| {
            let own = number.checked_sub(before)?;
            before += source.len();
            (number < before).then_some((source, own))
        })
    }
}

/// The largest length of a run's id in the name of a trial, in characters.
const MAX_ID_CHARS: usize = 100;

/// Returns the ids of the runs in a file, or their numbers from 1 if the ids do not tell the runs apart.
fn find_ids(source: &RunSource, files: &Files) -> Result<Vec<String>, RunsError> {
    let mut ids = Vec::new();
    for run in source.each(files) {
        ids.push(run?.trace.id.clone().filter(|id| !id.is_empty() && id.chars().count() <= MAX_ID_CHARS));
    }
    let different: HashSet<&Option<String>> = ids.iter().collect();
    let tells_apart = different.len() == ids.len() && ids.iter().all(Option::is_some);
    let names = ids.iter().enumerate().map(|(at, id)| match id {
        Some(id) if tells_apart => id.clone(),
        _ => (at + 1).to_string(),
    });
    Ok(names.collect())
}

impl CollectedRuns {
    fn take(&mut self, number: usize) -> Option<RecordedRun> {
        self.runs.get_mut(number.checked_sub(self.from)?)?.take()
    }
}
