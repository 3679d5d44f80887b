//! Which files hold cases: all of them for a run, one of them for a name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::name::split_name;
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::source::Files;

/// The extensions of case files.
pub const CASE_EXTENSIONS: &[&str] = &["yaml", "yml", "json", "jsonl"];

/// Folders that hold what cases use, never cases.
const SUPPORT_FOLDERS: &[&str] = &["policies", "traces", "snapshots", "cassettes", "baselines", "schemas"];

/// Configures the whole folder.
pub(super) const WORKSPACE_FILE: &str = "arraign.yaml";

/// Lists the cases whose failures do not decide a run.
pub(super) const QUARANTINE_FILE: &str = "quarantine.yaml";

/// Lists the files that are none of cases.
pub(super) const IGNORE_FILE: &str = ".arraignignore";

/// Lists all case files below the eval root, by name.
pub fn find_case_files(files: &Files) -> Result<Vec<PathBuf>, LoadErrors> {
    let root = files.root().to_owned();
    let ignored = read_ignore_list(files)?;
    let found = files
        .walk(&root, |path| is_support(path) || ignored.is_match(path.strip_prefix(&root).unwrap_or(path)));
    let found = found.map_err(|error| {
        LoadError::new(
            Place::of_file(error.name),
            format!("the folder of cases cannot be read: {}", error.problem),
        )
    })?;
    let cases: Vec<PathBuf> = found.iter().filter(|path| is_case_file(path, &root)).cloned().collect();
    let mut errors = LoadErrors::new();
    errors.take(refuse_siblings(&cases, files));
    errors.take(refuse_capitals(&found, files));
    // The name of a trial is text.
    for path in cases.iter().filter(|path| path.to_str().is_none()) {
        let problem = "the path is not UTF-8: no trial can be named after it";
        errors.push(LoadError::new(Place::of_file(files.name(path)), problem).help("rename it"));
    }
    errors.or(cases)
}

/// The files that may hold the trial `name`, the likeliest first: each prefix of the name with each extension.
/// Nothing is listed and nothing is opened.
pub fn find_files_for_name(files: &Files, name: &str) -> Vec<PathBuf> {
    let parts = split_name(name).unwrap_or_default();
    let safe =
        parts.iter().take_while(|part| !part.contains(['/', '\\']) && *part != ".." && !part.is_empty());
    let longest = safe.count();
    // Behind the file's name, a trial has a case, and below it the path of a trace.
    let stems = (1..=longest)
        .rev()
        .map(|length| parts[..length].iter().fold(files.root().to_owned(), |path, part| path.join(part)));
    let candidates = stems.flat_map(|stem| {
        CASE_EXTENSIONS.iter().map(move |extension| PathBuf::from(format!("{}.{extension}", stem.display())))
    });
    candidates.filter(|path| files.exists(path) && is_case_file(path, files.root())).collect()
}

/// Whether a folder or file contains no cases.
pub fn is_support(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || SUPPORT_FOLDERS.contains(&&*name)
}

pub(super) fn is_case_file(path: &Path, root: &Path) -> bool {
    let below = path.strip_prefix(root).unwrap_or(path);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    CASE_EXTENSIONS.contains(&&*extension)
        && below != Path::new(WORKSPACE_FILE)
        && below != Path::new(QUARANTINE_FILE)
        && !below.ancestors().any(is_support)
}

/// A file such as `refunds.YAML` is no case file, and would be passed over without a word.
fn refuse_capitals(found: &[PathBuf], files: &Files) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for path in found {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let lower = extension.to_ascii_lowercase();
        // The file is looked at as if its extension were in small letters: only one that would then be a case file is
        // meant as such.
        let renamed = path.with_extension(&lower);
        if lower != extension && is_case_file(&renamed, files.root()) {
            let problem =
                format!("`.{extension}` is not the extension of a file of cases: cases are in `.{lower}`");
            let help = format!("rename it to `{}`, or list it in `{IGNORE_FILE}`", files.name(&renamed));
            errors.push(LoadError::new(Place::of_file(files.name(path)), problem).help(help));
        }
    }
    errors.or(())
}

/// Two files of one stem would give their cases the same names.
fn refuse_siblings(cases: &[PathBuf], files: &Files) -> Result<(), LoadErrors> {
    let mut stems: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    let mut errors = LoadErrors::new();
    for path in cases {
        // The extension is no part of a trial's name.
        if let Some(first) = stems.insert(path.with_extension(""), path) {
            let problem = format!("`{}` has the same stem: their cases would share names", files.name(first));
            errors.push(
                LoadError::new(Place::of_file(files.name(path)), problem).help("rename one of the two"),
            );
        }
    }
    errors.or(())
}

/// The globs of `.arraignignore`, one a line; `#` begins a comment. A folder's glob takes all below it.
fn read_ignore_list(files: &Files) -> Result<GlobSet, LoadErrors> {
    let path = files.root().join(IGNORE_FILE);
    if !files.exists(&path) {
        return Ok(GlobSet::empty());
    }
    let source = files.source(&path)?;
    // Lines are counted in bytes, so that a mistake in a pattern has its place in the file.
    let mut set = GlobSetBuilder::new();
    let mut errors = LoadErrors::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let span = Span { start, end: start + u32::try_from(line.trim_end().len()).unwrap_or_default() };
        start += u32::try_from(line.len()).unwrap_or_default();
        let pattern = line.trim();
        if pattern.is_empty() || pattern.starts_with('#') {
            continue;
        }
        match GlobBuilder::new(pattern.trim_end_matches('/')).literal_separator(true).build() {
            Ok(glob) => drop(set.add(glob)),
            Err(error) => errors.push(glob_error(&source, span, &error)),
        }
    }
    let built = set.build().map_err(|error| glob_error(&source, Span::default(), &error));
    let set = errors.take(built);
    errors.or(set.unwrap_or_else(GlobSet::empty))
}

fn glob_error(source: &std::sync::Arc<Source>, span: Span, error: &globset::Error) -> LoadError {
    LoadError::new(Place::new(source, span), format!("not a pattern: {}", error.kind()))
}
