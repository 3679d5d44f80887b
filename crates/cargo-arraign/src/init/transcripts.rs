//! Transcripts of agents that lie in a project, outside of its folder of cases.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::count_noun;
use arraign::Trace;
use arraign::reader;
use arraign::trace::Ended;
use walkdir::{DirEntry, WalkDir};

/// The extensions of files that may be transcripts.
const EXTENSIONS: &[&str] = &["json", "jsonl"];
/// Folders of a project that contain no transcripts of its agent.
const OTHER_FOLDERS: &[&str] = &["evals", "target", "node_modules", "venv", "dist", "build", "__pycache__"];
/// How far below the project files are looked for, how many files are read, up to which size each, and all of them: `init` is to
/// take a second.
const MAX_DEPTH: usize = 4;
const MAX_READ: usize = 300;
const MAX_BYTES: u64 = 2 << 20;
const MAX_ALL_BYTES: u64 = 16 << 20;
/// The number of folders that are reported.
const MAX_FOLDERS: usize = 3;

/// The transcripts of one folder.
pub(super) struct FoundTranscripts {
    /// The folder below the project; empty for the project's own.
    folder: PathBuf,
    extension: &'static str,
    format: &'static str,
    count: usize,
    /// The first of the files, below the project.
    example: PathBuf,
}

impl FoundTranscripts {
    /// Renders the files, their number and their format.
    pub(super) fn describe(&self) -> String {
        let count = count_noun(self.count, "transcript");
        format!("{}: {count} ({})", self.render_glob(), self.format)
    }

    /// Renders what to do with them, in one or two steps.
    pub(super) fn advise(&self) -> Vec<String> {
        let mut steps =
            vec![format!("`cargo arraign init --from {}` makes a case of one of them", show(&self.example))];
        if self.count > 1 {
            let copied = self.folder.file_name().unwrap_or_default().to_string_lossy();
            let copied = if copied.is_empty() { "mine".into() } else { copied };
            let extension = self.extension;
            steps.push(format!(
                "for rules that hold in all of them, copy {} to evals/traces/{copied},",
                self.render_glob()
            ));
            steps.push(format!("and write `trace: {{file: traces/{copied}/*.{extension}, each: true}}`"));
        }
        steps
    }

    fn render_glob(&self) -> String {
        if self.count == 1 {
            show(&self.example)
        } else {
            show(&self.folder.join(format!("*.{}", self.extension)))
        }
    }
}

/// Finds the transcripts below a project: files from which a reader reads what an agent did, by folder, the largest first.
pub(super) fn find_transcripts(project: &Path) -> Vec<FoundTranscripts> {
    let walk = WalkDir::new(project).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
    let files =
        walk.filter_entry(is_looked_into).filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let mut left = MAX_ALL_BYTES;
    let small = files.filter(|entry| {
        let size = entry.metadata().map_or(u64::MAX, |metadata| metadata.len());
        let is_read = find_extension(entry.path()).is_some() && size <= MAX_BYTES.min(left);
        left -= if is_read { size } else { 0 };
        is_read
    });
    let mut found: BTreeMap<(PathBuf, &str, &str), FoundTranscripts> = BTreeMap::new();
    let candidates = small.filter_map(|entry| Some((find_extension(entry.path())?, entry.into_path())));
    for (extension, path) in candidates.take(MAX_READ) {
        let Some(format) = fs::read_to_string(&path).ok().and_then(|text| detect_transcript(&text)) else {
            continue;
        };
        let example = path.strip_prefix(project).unwrap_or(&path).to_owned();
        let folder = example.parent().unwrap_or(Path::new("")).to_owned();
        let group = found.entry((folder.clone(), extension, format));
        let group = group.or_insert(FoundTranscripts { folder, extension, format, count: 0, example });
        group.count += 1;
    }
    let mut found: Vec<FoundTranscripts> = found.into_values().collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.count));
    found.truncate(MAX_FOLDERS);
    found
}

fn is_looked_into(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_other = entry.file_type().is_dir() && OTHER_FOLDERS.contains(&&*name);
    entry.depth() == 0 || !(name.starts_with('.') || is_other)
}

fn find_extension(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?;
    EXTENSIONS.iter().copied().find(|known| *known == extension)
}

/// Returns the format of a text in which an agent did something. A file of settings is not such a text, even if a reader takes it for the
/// beginning of a run.
fn detect_transcript(text: &str) -> Option<&'static str> {
    let recording = reader::read(text, None).ok()?;
    let did_something =
        |run: &Trace| !run.calls.is_empty() || run.answer.is_some() || matches!(run.ended, Ended::Failed(_));
    recording.runs.iter().any(did_something).then_some(recording.format)
}

fn show(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
