//! The trace of a case: the key `trace`, and the files that it names.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::changes::is_changes_folder;
use super::harbor::{find_trials, is_trial};
use super::name::name_recording;
use super::run_folder::is_run_folder;
use super::runs_error::RunsError;
use crate::JsonSchema;
use crate::case::{Case, ReasoningTexts, RecordOrder, RunReading, RunSelection, TraceFile, TraceFrom};
use crate::check::{Scope, WrittenFailures, find_reader};
use crate::pattern::is_glob;
use crate::place::{LoadError, LoadErrors, Place};
use crate::reader::{self, FileCondition};
use crate::source::Files;
use crate::trace::TextProtocol;
use crate::yaml::{Checked, Label, Node, Placed, Value, nearest};

/// The extensions that a recorded trace is looked up with, in this order.
const TRACE_EXTENSIONS: &[&str] = &["json", "jsonl", "yaml", "yml"];

/// Parses `trace`: a path, a glob, a [`WrittenTraceFile`], or the run itself.
pub(super) fn parse_trace_from(
    node: Node<'_>,
    scope: &Scope<'_>,
    suite: &str,
    id: &str,
) -> Result<TraceFrom, LoadErrors> {
    // The names in braces are the same for all cases of a suite, so that one default serves them.
    let fill_in = |text: &str| text.replace("{id}", id).replace("{suite}", suite);
    match node.value() {
        Value::String(path) => {
            let file = TraceFile::new(node.place(), fill_in(path));
            refuse_outside(&file, node, scope)?;
            Ok(TraceFrom::File(file))
        }
        Value::Map(_) if names_a_file(node) => {
            let written: WrittenTraceFile = node.decode_all()?;
            let mut file = written.build(node.place(), &scope.tables.readers.names())?;
            file.path = fill_in(&file.path);
            if let RunSelection::One(run) = &mut file.runs {
                *run = fill_in(run);
            }
            refuse_outside(&file, node, scope)?;
            Ok(TraceFrom::File(file))
        }
        _ => Ok(TraceFrom::Inline(Box::new(reader::inline(node)?))),
    }
}

/// Whether a mapping is `{file, ...}` or `{harbor, ...}`, perhaps with a misspelt key, and not the run itself.
fn names_a_file(node: Node<'_>) -> bool {
    let mut keys = node.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
    let is_run = node.get("steps").is_some() || node.get("calls").is_some();
    !is_run && keys.any(|key| nearest(key, ["file", "harbor"]).is_some())
}

/// A file, and which of its runs.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "trace_file")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTraceFile {
    /// A file or a glob, relative to this file.
    file: Option<String>,
    /// The folder of a Harbor job, relative to this file, or of one of its trials. Each trial is a run.
    harbor: Option<Placed<String>>,
    /// The trace format. Default: detected.
    format: Option<Placed<String>>,
    /// One run of the file: its id, or its number from 1.
    run: Option<Label>,
    /// `true`: one trial for each run.
    #[serde(default)]
    each: bool,
    /// Kinds of parts that the reader does not know and that contain no tool call.
    #[serde(default)]
    harmless: Vec<String>,
    /// Which results of tools are failures, where the format does not say.
    failed_when: Option<Checked<WrittenFailures>>,
    /// Reasoning in a text of the model, such as `<think>...</think>`.
    #[serde(default)]
    reasoning: ReasoningTexts,
    /// The order of the records in the file. Default: `written`.
    order: Option<RecordOrder>,
    /// `true`: the file may end within a line, because its writer was stopped. The run is then cut.
    #[serde(default)]
    partial: bool,
    /// The form of the calls that the model writes as text, to have them read. Default: they are unread parts.
    calls_in_text: Option<TextProtocol>,
}

impl WrittenTraceFile {
    /// Builds the file, whose name stands at `place`.
    fn build(self, place: Place, readers: &[&str]) -> Result<TraceFile, LoadErrors> {
        let format = self.format.as_ref().map(|format| find_reader(format, readers)).transpose()?;
        let (path, is_harbor_job) = match (self.file, self.harbor) {
            (Some(file), None) => (file, false),
            (None, Some(job)) if format.is_some() || self.order.is_some() || self.partial => {
                let problem = "`format`, `order` and `partial` are about a file, and `harbor` names a folder";
                return Err(job.error(problem).into());
            }
            (None, Some(job)) => (job.into_value(), true),
            (Some(_), Some(job)) => {
                return Err(job.error("`file` and `harbor` both name the runs: give one of them").into());
            }
            (None, None) => {
                return Err(LoadError::new(place, "`trace` names no `file`").into());
            }
        };
        let runs = match (self.run, self.each) {
            (Some(_), true) => {
                let problem = "`run` picks one run and `each` takes all: give one of them";
                return Err(LoadError::new(place, problem).into());
            }
            (Some(Label(run)), false) => RunSelection::One(run),
            (None, true) => RunSelection::Each,
            (None, false) => RunSelection::All,
        };
        Ok(TraceFile {
            format,
            runs,
            condition: FileCondition {
                is_reversed: self.order == Some(RecordOrder::Reversed),
                is_partial: self.partial,
            },
            reading: RunReading {
                harmless: self.harmless,
                reasoning: self.reasoning,
                calls_in_text: self.calls_in_text,
            },
            failed_when: self.failed_when.map(|rules| rules.0),
            is_harbor_job,
            ..TraceFile::new(place, path)
        })
    }
}

/// The characters that begin a wildcard.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Checks a file without opening it: whether it is inside the allowed folders, and whether its glob is valid.
fn refuse_outside(file: &TraceFile, node: Node<'_>, scope: &Scope<'_>) -> Result<(), LoadErrors> {
    if file.path.is_empty() {
        return Err(node.error("`trace` is empty: give a path, or the run itself").into());
    }
    // A pattern is no path, so only the part before its first wildcard can be resolved.
    let fixed =
        if file.is_harbor_job { &*file.path } else { file.path.split(WILDCARDS).next().unwrap_or_default() };
    scope.files.resolve(scope.folder, fixed).map_err(|error| node.error(error.to_string()))?;
    if !file.is_harbor_job && is_glob(&file.path) {
        build_glob_set(&file.path).map_err(|error| node.error(error))?;
    }
    Ok(())
}

fn build_glob_set(pattern: &str) -> Result<GlobSet, RunsError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let set = glob.and_then(|glob| GlobSetBuilder::new().add(glob).build());
    set.map_err(|error| RunsError::Pattern { pattern: pattern.to_owned(), problem: error.kind().to_string() })
}

/// Finds the files with the runs of a case in the file `path`.
pub(super) fn find_trace_files(case: &Case, path: &Path, files: &Files) -> Result<Vec<PathBuf>, RunsError> {
    match &case.trace {
        TraceFrom::Inline(_) => Ok(Vec::new()),
        TraceFrom::File(file) => find_matching(file, trace_home(case, path), files),
        TraceFrom::Lookup => look_up_trace(case, path, files),
    }
}

/// Whether there is anything at the places of the runs of a case in the file `path`, readable or not.
pub fn is_recorded(case: &Case, path: &Path, files: &Files) -> bool {
    match &case.trace {
        TraceFrom::Inline(_) => true,
        TraceFrom::File(file) => find_matching(file, trace_home(case, path), files)
            .is_ok_and(|found| found.iter().any(|path| files.exists(path))),
        TraceFrom::Lookup => look_up_trace(case, path, files).is_ok(),
    }
}

/// Returns the file to which the names of the case's traces are relative, and beside which they are looked up. The rows of
/// a dataset have their traces beside the dataset, as if no suite named it.
pub(super) fn trace_home<'p>(case: &'p Case, path: &'p Path) -> &'p Path {
    let is_named_by_suite = matches!(&case.trace, TraceFrom::File(file) if file.by_default);
    case.dataset.as_ref().filter(|_| !is_named_by_suite).map_or(path, |dataset| dataset.as_path())
}

/// Returns the file of a path, or the files that a glob matches, in natural order.
fn find_matching(file: &TraceFile, case_file: &Path, files: &Files) -> Result<Vec<PathBuf>, RunsError> {
    let folder = case_file.parent().unwrap_or(case_file);
    let direct = files.resolve(folder, &file.path)?;
    if file.is_harbor_job {
        return find_trials(&direct, &file.runs, files);
    }
    // A file may have brackets in its name: it is preferred to the pattern.
    if !is_glob(&file.path) || files.exists(&direct) {
        return Ok(vec![direct]);
    }
    let (start, pattern) = split_glob(folder, &file.path, files)?;
    let found = find_by_glob(&start, pattern, files)?;
    if found.is_empty() { Err(RunsError::NoMatch(file.path.clone())) } else { Ok(found) }
}

/// Returns the folder below which the files of a case's glob, or the trials of its job, are. `None` for a case that names a
/// single file, or none.
pub(super) fn find_glob_start(case: &Case, path: &Path, files: &Files) -> Result<Option<PathBuf>, RunsError> {
    let TraceFrom::File(file) = &case.trace else { return Ok(None) };
    let home = trace_home(case, path);
    let folder = home.parent().unwrap_or(home);
    let direct = files.resolve(folder, &file.path)?;
    if file.is_harbor_job {
        return Ok((!is_trial(&direct)).then_some(direct));
    }
    if !is_glob(&file.path) || files.exists(&direct) {
        return Ok(None);
    }
    Ok(Some(split_glob(folder, &file.path, files)?.0))
}

/// Returns the folder of the Harbor job that a case names: nothing below it is a case.
pub(super) fn find_job(case: &Case, path: &Path, files: &Files) -> Option<PathBuf> {
    let TraceFrom::File(file) = &case.trace else { return None };
    let home = trace_home(case, path);
    let job = file.is_harbor_job.then(|| files.resolve(home.parent().unwrap_or(home), &file.path));
    job.and_then(Result::ok)
}

/// Returns the files below `folder` that match `pattern`, in natural order. A pattern that leads out of it matches none.
pub(super) fn find_files_below(
    folder: &Path,
    pattern: &str,
    files: &Files,
) -> Result<Vec<PathBuf>, RunsError> {
    let (start, pattern) = split_glob(folder, pattern, files)?;
    if !start.starts_with(folder) {
        return Ok(Vec::new());
    }
    find_by_glob(&start, pattern, files)
}

/// Splits a glob, which is relative to `folder`, into the folder before its first wildcard and the pattern below it. So a
/// folder may have brackets in its name.
fn split_glob<'g>(folder: &Path, glob: &'g str, files: &Files) -> Result<(PathBuf, &'g str), RunsError> {
    let fixed = glob.find(WILDCARDS).unwrap_or(glob.len());
    let (fixed, pattern) = glob.split_at(glob[..fixed].rfind('/').map_or(0, |slash| slash + 1));
    let start = files.resolve(folder, fixed)?;
    Ok((start, pattern))
}

/// Lists the files below a folder that match a pattern, in natural order.
fn find_by_glob(start: &Path, pattern: &str, files: &Files) -> Result<Vec<PathBuf>, RunsError> {
    let set = build_glob_set(pattern)?;
    let mut found = files.walk(start, is_changes_folder).unwrap_or_default();
    found.retain(|path| path.strip_prefix(start).is_ok_and(|below| set.is_match(below)));
    found.sort_by(|one, other| compare_naturally(&one.to_string_lossy(), &other.to_string_lossy()));
    Ok(found)
}

/// Looks up the trace beside the file of rows that contains the case, or else beside the case's file.
fn look_up_trace(case: &Case, path: &Path, files: &Files) -> Result<Vec<PathBuf>, RunsError> {
    let home = trace_home(case, path);
    look_up_beside(case, home, files).or_else(|error| {
        if home == path { Err(error) } else { look_up_beside(case, path, files).map_err(|_| error) }
    })
}

/// `traces/<file stem>/<id>.*`, else `traces/<id>.*`, next to the file; else the files of the folder
/// `traces/<file stem>/<id>`, one a run. Where several runs are asked for, the folder comes first.
fn look_up_beside(case: &Case, path: &Path, files: &Files) -> Result<Vec<PathBuf>, RunsError> {
    let own = case_stem(case, path);
    let id = own.file_name().unwrap_or_default().to_string_lossy();
    let stem = own.parent().unwrap_or(path);
    let folders = [stem, stem.parent().unwrap_or(stem)];
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    // A folder that a declared reader reads is one run, and comes before the files in it.
    if !several && is_run_folder(&own, &case.readers, files) {
        return Ok(vec![own]);
    }
    // With `repeat`, a folder of numbered runs is more likely than a single file of this name, so it is tried first.
    let mut runs = if several { find_numbered(&own, files) } else { None };
    if runs.is_none() {
        let file = folders.iter().find_map(|folder| find_by_stem(folder, &id, files));
        runs = file.map(|path| vec![path]);
    }
    if runs.is_none() && !several {
        runs = find_numbered(&own, files);
    }
    runs.ok_or_else(|| {
        let [own, shared] = folders.map(|folder| format!("{}/{id}", files.name(folder)));
        RunsError::NotFound { own, shared }
    })
}

/// `traces/<file stem>/<id>` next to the case's file: an extension makes it the one run, a folder holds several.
pub(super) fn case_stem(case: &Case, path: &Path) -> PathBuf {
    case_stem_in("traces", case, path)
}

/// Returns the same path with another folder than `traces`.
pub(super) fn case_stem_in(folder: &str, case: &Case, path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default();
    let id = case.id.clone().unwrap_or_else(|| stem.to_string_lossy().into_owned());
    let id = name_recording(&id);
    // Neither this folder nor the one above it.
    let mut id = if id.bytes().all(|byte| byte == b'.') { id.replace('.', "_") } else { id };
    if let Some(variant) = &case.variant {
        id.push_str(&variant.suffix());
    }
    path.parent().unwrap_or(path).join(folder).join(stem).join(shorten_file_name(id))
}

/// Shortens a name to one that file systems accept, which allow 255 bytes with the extension. A hash of the whole name keeps
/// names apart that begin alike.
fn shorten_file_name(name: String) -> String {
    const MAX_BYTES: usize = 200;
    const KEPT_BYTES: usize = 100;
    if name.len() <= MAX_BYTES {
        return name;
    }
    // The cut may be inside of a character, so it moves to the beginning of it.
    let kept = name.floor_char_boundary(KEPT_BYTES);
    let hash = hmac_sha256::Hash::hash(name.as_bytes());
    let digits = hash[..8].iter().fold(0_u64, |digits, byte| (digits << 8) | u64::from(*byte));
    format!("{}-{digits:016x}", &name[..kept])
}

/// Returns the files of a folder, each with one run, in natural order.
fn find_numbered(folder: &Path, files: &Files) -> Option<Vec<PathBuf>> {
    let mut found = if files.exists(folder) { files.list(folder) } else { Vec::new() };
    found.retain(|path| !is_changes_folder(path));
    found.sort_by(|one, other| compare_naturally(&one.to_string_lossy(), &other.to_string_lossy()));
    (!found.is_empty()).then_some(found)
}

/// Finds the file `<id>.*`. The usual extensions are tried first, because listing a folder costs more.
fn find_by_stem(folder: &Path, id: &str, files: &Files) -> Option<PathBuf> {
    let usual = TRACE_EXTENSIONS.iter().map(|extension| folder.join(format!("{id}.{extension}")));
    usual.into_iter().find(|path| files.exists(path)).or_else(|| {
        files.exists(folder).then(|| files.list(folder).into_iter().find(|path| is_named(path, id))).flatten()
    })
}

/// Whether the file at `path` is a trace `<id>.*`, and no backup of one.
fn is_named(path: &Path, id: &str) -> bool {
    let Some(extension) = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase())
    else {
        return false;
    };
    let is_backup = extension.ends_with('~') || BACKUP_EXTENSIONS.contains(&&*extension);
    !is_backup && !is_changes_folder(path) && path.file_stem().is_some_and(|stem| stem == id)
}

/// The extensions of files that editors and tools leave behind.
const BACKUP_EXTENSIONS: &[&str] = &["bak", "old", "orig", "rej", "swo", "swp", "tmp"];

/// Lists everything that a case without `trace` could take for its trace in the folders in which it looks, in the order in
/// which it looks: the first one is its trace.
pub(crate) fn list_default_traces(case: &Case, path: &Path, files: &Files) -> Vec<PathBuf> {
    if !matches!(case.trace, TraceFrom::Lookup) {
        return Vec::new();
    }
    let own = case_stem(case, trace_home(case, path));
    let id = own.file_name().unwrap_or_default().to_string_lossy();
    let Some(stem) = own.parent() else { return Vec::new() };
    let mut found = Vec::new();
    for folder in [Some(stem), stem.parent()].into_iter().flatten() {
        let mut named: Vec<PathBuf> = if files.exists(folder) { files.list(folder) } else { Vec::new() };
        named.retain(|path| is_named(path, &id));
        let rank = |path: &PathBuf| {
            let extension = path.extension().unwrap_or_default();
            TRACE_EXTENSIONS.iter().position(|usual| *usual == extension).unwrap_or(TRACE_EXTENSIONS.len())
        };
        named.sort_by_key(rank);
        found.append(&mut named);
    }
    let has_runs = find_numbered(&own, files).is_some();
    // With `repeat`, the folder comes first.
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    if has_runs {
        found.insert(if several { 0 } else { found.len() }, own);
    }
    found
}

/// Compares names with their numbers as numbers: `run_2` comes before `run_10`.
pub(super) fn compare_naturally(one: &str, other: &str) -> std::cmp::Ordering {
    split_digits(one).cmp(&split_digits(other)).then_with(|| one.cmp(other))
}

fn split_digits(text: &str) -> Vec<(u128, &str)> {
    let mut chunks = Vec::new();
    // Splits into pairs of a number and the text behind it; a text without a leading number begins with 0.
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (word, next) = after.split_at(letters);
        chunks.push((number.parse().unwrap_or_default(), word));
        rest = next;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ten_comes_after_two() {
        let mut names = vec!["run_10.json", "run_2.json", "a.json", "run_1.json"];
        names.sort_by(|one, other| compare_naturally(one, other));
        assert_eq!(names, ["a.json", "run_1.json", "run_2.json", "run_10.json"]);
    }

    #[test]
    fn a_folder_with_brackets_in_its_name_is_no_pattern() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = root.path().join("[a]{b}");
        fs::create_dir_all(folder.join("traces/deep")).expect("folders");
        for name in ["traces/2.json", "traces/10.json", "traces/deep/3.json", "4.json"] {
            fs::write(folder.join(name), "{}").expect("a file");
        }
        let files = Files::new(root.path(), root.path());
        for (glob, expected) in [
            ("traces/*.json", &["traces/2.json", "traces/10.json"][..]),
            ("./traces/../traces/d?ep/*", &["traces/deep/3.json"]),
            ("*.json", &["4.json"]),
            ("{4,5}.json", &["4.json"]),
        ] {
            let found = find_files_below(&folder, glob, &files).expect(glob);
            let expected: Vec<PathBuf> = expected.iter().map(|name| folder.join(name)).collect();
            assert_eq!(found, expected, "{glob}");
        }
        assert!(find_files_below(&folder.join("traces"), "../*.json", &files).expect("no file").is_empty());
    }
}
