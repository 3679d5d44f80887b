//! Finds the runs of a case in a trace file that several cases of a suite share by `defaults.trace`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::is_own_value;
use super::keys;
use super::runs::CaseRuns;
use crate::case::{Case, JoinGroup, JoinWay, JoinedCase, RunJoiner, TraceFile};
use crate::source::Files;
use crate::yaml::{Document, Node, Value};

/// The groups of cases of one document, by the name of the file that they share.
#[derive(Debug, Default)]
pub(super) struct JoinGroups(HashMap<String, NumberedGroup>);

/// A group, and the numbers of its cases by their ids.
#[derive(Debug)]
struct NumberedGroup {
    group: Arc<JoinGroup>,
    numbers: HashMap<String, usize>,
}

impl JoinGroups {
    /// Finds the cases at `paths` that do not name a trace themselves, and whose default is the same file for each.
    pub(super) fn find_groups(document: &Document, paths: &[String]) -> Self {
        let mut groups: HashMap<&str, JoinGroup> = HashMap::new();
        for case in paths.iter().filter_map(|path| document.root().pointer(path)) {
            if let Some(file) = shared_file(case) {
                let group = groups.entry(file).or_default();
                group.start = document.root().tree().span.start;
                group.cases.push(describe_case(case));
            }
        }
        // A case that has the file alone needs nothing to choose by.
        let several = groups.into_iter().filter(|(_, group)| group.cases.len() > 1);
        Self(several.map(|(file, group)| (file.to_owned(), NumberedGroup::number_cases(group))).collect())
    }

    /// Returns the group of a case, and its number there.
    pub(super) fn find_group(&self, case: Node<'_>) -> Option<(Arc<JoinGroup>, usize)> {
        let NumberedGroup { group, numbers } = self.0.get(shared_file(case)?)?;
        let (id, _) = keys::id_of(case)?;
        Some((Arc::clone(group), *numbers.get(&id)?))
    }
}

impl NumberedGroup {
    fn number_cases(group: JoinGroup) -> Self {
        let ids = group.cases.iter().map(|case| case.id.clone()).enumerate();
        let numbers = ids.filter_map(|(number, id)| Some((id?, number))).collect();
        Self { group: Arc::new(group), numbers }
    }
}

/// Returns the trace file that a suite names for all its cases, if it selects no runs of the file.
fn shared_file(case: Node<'_>) -> Option<&str> {
    let trace = case.get("trace").filter(|trace| !is_own_value(case, *trace))?;
    let file = match trace.value() {
        Value::String(file) => file.as_str(),
        Value::Map(_) if trace.get("run").is_none() && trace.get("each").is_none() => {
            trace.get("file")?.as_str()?
        }
        _ => return None,
    };
    // A file for each id belongs to its case already.
    (!file.contains("{id}")).then_some(file)
}

fn describe_case(case: Node<'_>) -> JoinedCase {
    let text = find_text(case).or_else(|| find_first_query(case)).map(str::to_owned);
    JoinedCase { id: keys::id_of(case).map(|(id, _)| id), text }
}

/// Returns the text of the input of a case, or of a turn.
fn find_text(node: Node<'_>) -> Option<&str> {
    let text = ["input", "prompt"].into_iter().find_map(|key| node.get(key))?;
    text.as_str().or_else(|| text.get("query")?.as_str())
}

fn find_first_query(case: Node<'_>) -> Option<&str> {
    let turn = case.get("turns")?.list()?.next()?;
    turn.get("query").and_then(Node::as_str).or_else(|| find_text(turn))
}

/// The runs of a shared file, and the numbers of the runs of each case. `None` if the runs are not joined.
struct JoinedFile {
    runs: Arc<CaseRuns>,
    numbers: Option<Vec<Vec<usize>>>,
}

/// Returns all runs of a file that several cases share, and the numbers of those of `case`. The file is read once in a
/// process, and not once for each case. The error is the cause, in a sentence.
pub(super) fn find_joined_runs(
    case: &Case,
    file: &TraceFile,
    (group, number): (&JoinGroup, usize),
    path: &Path,
    files: &Files,
) -> Result<(Arc<CaseRuns>, Vec<usize>), String> {
    let key = PathBuf::from(format!("{}#{}#{}", path.display(), group.start, file.path));
    let joined = files.compiled(&key, || Ok(join_file(case, group, path, files)));
    let joined = joined.map_err(|errors| errors.to_string())?;
    let JoinedFile { runs, numbers } = joined.as_ref().as_ref().map_err(Clone::clone)?;
    let own = match numbers {
        Some(numbers) => numbers.get(number).cloned().unwrap_or_default(),
        None => (0..runs.len()).collect(),
    };
    Ok((Arc::clone(runs), own))
}

fn join_file(case: &Case, group: &JoinGroup, path: &Path, files: &Files) -> Result<JoinedFile, String> {
    let runs = Arc::new(CaseRuns::find_in_files(case, path, files)?);
    // Searching all texts for the texts of all cases takes longer, so it is tried last. A way counts only if every case
    // finds a run by it.
    for ways in [&[JoinWay::Id, JoinWay::FirstText][..], &[JoinWay::AnyText]] {
        let mut joiner = RunJoiner::new(group, ways);
        for (number, run) in runs.each_run(files).enumerate() {
            joiner.add_run(number, &run?.trace);
        }
        if let Some(numbers) = joiner.into_runs() {
            return Ok(JoinedFile { runs, numbers: Some(numbers) });
        }
    }
    Ok(JoinedFile { runs, numbers: None })
}
