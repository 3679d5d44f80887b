//! Finds the runs of a case in a trace file that the cases of a suite share by `defaults.trace`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::is_own_value;
use super::keys;
use super::runs::CaseRuns;
use super::runs_error::RunsError;
use crate::case::{Case, ContestedRun, JoinGroup, JoinedCase, JoinedRuns, RunJoiner, TraceFile};
use crate::check::InputMatch;
use crate::json::{Json, json};
use crate::pattern::is_glob;
use crate::source::Files;
use crate::trace::Role;
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
    /// Finds the cases at `paths` that do not name a trace themselves, and whose default is a file. A case is a group, too: the
    /// file may hold runs of other cases. `input_match` is the setting for cases without one.
    pub(super) fn find_groups(document: &Document, paths: &[String], input_match: InputMatch) -> Self {
        let mut groups: HashMap<&str, JoinGroup> = HashMap::new();
        for case in paths.iter().filter_map(|path| document.root().pointer(path)) {
            if let Some(file) = shared_file(case) {
                let group = groups.entry(file).or_default();
                group.start = document.root().tree().span.start;
                group.cases.push(describe_case(case, input_match));
            }
        }
        let groups = groups.into_iter();
        Self(groups.map(|(file, group)| (file.to_owned(), NumberedGroup::number_cases(group))).collect())
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

fn describe_case(case: Node<'_>, input_match: InputMatch) -> JoinedCase {
    let turns = || case.get("turns").and_then(Node::list).into_iter().flatten();
    let find_query = |turn: Node<'_>| turn.get("query").and_then(Node::as_str).map(str::to_owned);
    let first_query =
        || find_query(turns().next()?).or_else(|| find_text(turns().next()?).map(str::to_owned));
    let text = find_text(case).map(str::to_owned).or_else(first_query);
    let input = find_input(case).and_then(|input| input.decode::<Json>().ok());
    let input = json!([input, turns().map(find_query).collect::<Vec<_>>()]).to_string();
    // A mistake is reported when the case is read.
    let own = case.get("input_match").and_then(|node| InputMatch::parse(node).ok());
    JoinedCase {
        id: keys::id_of(case).map(|(id, _)| id),
        text,
        input,
        input_match: match own.unwrap_or(input_match) {
            // What is not compared later still tells whose run it is.
            InputMatch::Off => InputMatch::First,
            input_match => input_match,
        },
    }
}

fn find_input(node: Node<'_>) -> Option<Node<'_>> {
    ["input", "prompt"].into_iter().find_map(|key| node.get(key))
}

/// Returns the text of the input of a case, or of a turn.
fn find_text(node: Node<'_>) -> Option<&str> {
    let text = find_input(node)?;
    text.as_str().or_else(|| text.get("query")?.as_str())
}

/// The runs of a shared file, and whose they are.
struct JoinedFile {
    runs: Arc<CaseRuns>,
    joined: JoinedRuns,
    /// The first runs, for an error.
    listed: Vec<ListedRun>,
    /// Whether each file of a glob holds one run, and none of them is known as the run of a case.
    is_shared_by_all: bool,
}

/// A run in an error.
struct ListedRun {
    id: Option<String>,
    file: Option<String>,
    /// What the user said in it.
    asked: Vec<String>,
}

/// The largest number of runs that an error lists.
const MAX_LISTED: usize = 20;

/// Returns all runs of a file that cases share, and the numbers of those of `case`. The file is read once in a process, and
/// not once for each case.
pub(super) fn find_joined_runs(
    case: &Case,
    file: &TraceFile,
    group: &JoinGroup,
    number: usize,
    path: &Path,
    files: &Files,
) -> Result<(Arc<CaseRuns>, Vec<usize>), RunsError> {
    let key = PathBuf::from(format!("{}#{}#{}", path.display(), group.start, file.path));
    let joined = files.compiled(&key, || Ok(join_file(case, group, path, files)));
    let joined = joined.map_err(RunsError::Cases)?;
    let found = joined.as_ref().as_ref().map_err(Clone::clone)?;
    let mut own = found.joined.runs.get(number).cloned().unwrap_or_default();
    let contested = found.joined.find_contested(number);
    match (own.as_slice(), contested, found.runs.len()) {
        // The only run of a file is meant for each case. The rule of the fit decides whether it is one for its input.
        ([], _, 0 | 1) => own = (0..found.runs.len()).collect(),
        ([], Some(contested), _) => {
            return Err(RunsError::Shared(describe_contest(contested, group, found, file, path, files)));
        }
        // So are the files of a glob, for a case that could find none of them by a text.
        ([], None, _) if found.is_shared_by_all && !has_text(case) => own = (0..found.runs.len()).collect(),
        ([], None, _) => return Err(RunsError::Shared(describe_missing(case, found, file, path, files))),
        _ => {}
    }
    Ok((Arc::clone(&found.runs), own))
}

fn join_file(case: &Case, group: &JoinGroup, path: &Path, files: &Files) -> Result<JoinedFile, RunsError> {
    let runs = Arc::new(CaseRuns::find_in_files(case, path, files)?);
    let mut joiner = RunJoiner::new(group);
    let mut listed = Vec::new();
    let mut file_before = None;
    let mut has_one_run_each = true;
    for (number, run) in runs.each_run(files).enumerate() {
        let run = run?;
        has_one_run_each &= run.file.is_some() && run.file != file_before;
        file_before.clone_from(&run.file);
        joiner.add_run(number, &run.trace);
        if number < MAX_LISTED {
            let asked = run.trace.messages.iter().filter(|message| message.role == Role::User);
            let asked = asked.map(|message| message.text.clone()).collect();
            listed.push(ListedRun { id: run.trace.id.clone(), file: run.file.clone(), asked });
        }
    }
    // Looking for pieces takes longer, and the runs must be read again for it, so only those that are left are searched.
    let left = joiner.list_left().to_vec();
    let mut left = left.iter().peekable();
    if left.peek().is_some() {
        for (number, run) in runs.each_run(files).enumerate() {
            if left.next_if_eq(&&number).is_some() {
                joiner.add_left_run(number, &run?.trace);
            }
        }
    }
    let found = joiner.into_runs();
    let is_unclaimed = found.contested.is_empty() && found.runs.iter().all(Vec::is_empty);
    Ok(JoinedFile { runs, joined: found, listed, is_shared_by_all: has_one_run_each && is_unclaimed })
}

/// Whether a run can be found by what the case asks.
fn has_text(case: &Case) -> bool {
    case.prompt().is_some() || !case.turns.is_empty()
}

/// Describes that several cases could take a run.
fn describe_contest(
    contested: &ContestedRun,
    group: &JoinGroup,
    found: &JoinedFile,
    file: &TraceFile,
    path: &Path,
    files: &Files,
) -> String {
    let names: Vec<String> = contested
        .cases
        .iter()
        .take(MAX_LISTED)
        .filter_map(|case| Some(format!("`{}`", group.cases[*case].id.as_deref()?)))
        .collect();
    let number = contested.run;
    let id = found.listed.get(number).and_then(|run| run.id.as_deref());
    let run = id.map_or_else(|| format!("run {}", number + 1), |id| format!("the run `{id}`"));
    format!(
        "{run} of `{}` could be the run of {}: both ask it\nname the run in its case: {}",
        file.path,
        names.join(" and of "),
        write_trace_line(found, number, file, path, files)
    )
}

/// Describes that a case finds no run of its own.
fn describe_missing(case: &Case, found: &JoinedFile, file: &TraceFile, path: &Path, files: &Files) -> String {
    let count = found.runs.len();
    let runs = found.listed.iter().enumerate().map(|(number, run)| match (&run.id, &run.file) {
        (Some(id), _) => format!("`{id}`"),
        (None, Some(name)) if is_glob(&file.path) => format!("`{}`", name_beside(name, path, files)),
        (None, _) => (number + 1).to_string(),
    });
    let more = match count.saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "no run of `{}` is in `{}`: no run has its id, and {}; the runs are {}{more}\n{}",
        case.id.as_deref().unwrap_or_default(),
        file.path,
        if has_text(case) { "none was asked its input" } else { "the case has no input" },
        runs.collect::<Vec<_>>().join(", "),
        advise_on_missing(case, found, file)
    )
}

/// Says how a case gets a run. Which one is its own, only the user knows.
fn advise_on_missing(case: &Case, found: &JoinedFile, file: &TraceFile) -> String {
    let wanted = case.prompt().filter(|wanted| !wanted.trim().is_empty());
    let holds = |run: &ListedRun| {
        wanted.is_some_and(|wanted| run.asked.iter().any(|text| text.contains(wanted.trim())))
    };
    if let [only] =
        found.listed.iter().enumerate().filter(|(_, run)| holds(run)).collect::<Vec<_>>().as_slice()
    {
        let (number, run) = only;
        let name =
            run.id.as_ref().map_or_else(|| format!("run {}", number + 1), |id| format!("the run `{id}`"));
        return format!(
            "{name} has the input among other words: `input_match: contains` takes it as the run of the case"
        );
    }
    let form = if is_glob(&file.path) {
        "`trace: FILE`".to_owned()
    } else {
        format!("`trace: {{file: {}, run: ID}}`", file.path)
    };
    format!("record a run of the case, or name the run that is its own: {form}")
}

/// Writes the line of a case that selects the run of this number.
fn write_trace_line(
    found: &JoinedFile,
    number: usize,
    file: &TraceFile,
    path: &Path,
    files: &Files,
) -> String {
    let listed = found.listed.get(number);
    // A glob has no numbers, so the file of the run is named.
    if is_glob(&file.path)
        && let Some(name) = listed.and_then(|run| run.file.as_deref())
    {
        return format!("`trace: {}`", name_beside(name, path, files));
    }
    let run = listed.and_then(|run| run.id.clone()).unwrap_or_else(|| (number + 1).to_string());
    // An id may be anything, such as a text with a colon.
    let is_plain = run.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let run = if is_plain { run } else { format!("{run:?}") };
    format!("`trace: {{file: {}, run: {run}}}`", file.path)
}

/// Returns the name of a trace file as a case in the file `path` writes it.
fn name_beside<'n>(name: &'n str, path: &Path, files: &Files) -> &'n str {
    let folder = path.parent().map(|folder| files.name(folder)).unwrap_or_default();
    name.strip_prefix(&folder).map_or(name, |below| below.trim_start_matches('/'))
}
