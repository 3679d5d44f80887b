//! Files that an imported file names. They are read from its folder and subfolders, and nowhere else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arraign::__internals::pattern::is_glob;
use arraign::__internals::place::Source;
use arraign::__internals::source::{Files, ReadProblem};
use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

const OUTSIDE: &str = "the file is outside of the folder of the imported file: copy it into that folder";
const MISSING: &str = "no such file";

const OUTSIDE_FOLDER: &str =
    "the folder is outside of that of the imported file: copy it beside the cases, and name it with `from`";

/// Folders that belong to no template.
const BUILT_FOLDERS: &[&str] = &[".git", ".venv", "__pycache__", "node_modules", "dist", "build", "target"];

/// The most files of a folder that is copied.
const MAX_FOLDER_FILES: usize = 2000;

/// The most bytes of a folder that is copied.
const MAX_FOLDER_BYTES: usize = 100 << 20;

/// The largest file that is copied.
const MAX_FILE_BYTES: u64 = 100 << 20;

/// Folders with files of other projects.
const SKIPPED_FOLDERS: &[&str] = &["node_modules", "target"];

/// The folder of an imported file.
pub(super) struct SourceDir(Files);

impl SourceDir {
    /// Opens the folder that contains `path`.
    pub(super) fn around(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let here = Path::new(".");
        Self(Files::new(resolve_links(here), resolve_links(folder.unwrap_or(here))))
    }

    /// Finds the file called `name`, or the files that match a glob, sorted by name. The error says why nothing was found.
    pub(super) fn find_files(&self, name: &str) -> Result<Vec<PathBuf>, String> {
        let path = self.0.resolve(self.0.root(), name).map_err(|_| OUTSIDE.to_owned())?;
        // A file may have brackets in its name, so the literal name comes before the glob.
        if path.is_file() {
            return Ok(vec![path]);
        }
        if path.is_dir() {
            return Err("expected a file, found a folder: name its files, for example with `*`".to_owned());
        }
        let found = if is_glob(name) { self.find_matches(&path)? } else { Vec::new() };
        if found.is_empty() { Err(MISSING.to_owned()) } else { Ok(found) }
    }

    /// Finds the files that match `pattern`. Only the part below the folder is a pattern, because the folder's name can
    /// contain any characters.
    fn find_matches(&self, pattern: &Path) -> Result<Vec<PathBuf>, String> {
        let root = self.0.root();
        let pattern = pattern.strip_prefix(root).unwrap_or(pattern);
        let glob = GlobBuilder::new(&pattern.to_string_lossy()).literal_separator(true).build();
        let matcher = glob.map_err(|error| format!("invalid glob: {}", error.kind()))?.compile_matcher();
        // Walk only the folders that the glob can match: the search begins below the part without wildcards.
        let fixed = pattern.ancestors().find(|folder| !is_glob(&folder.to_string_lossy()));
        let entries = WalkDir::new(root.join(fixed.unwrap_or(Path::new("")))).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry));
        let files = entries.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
        let paths = files.map(DirEntry::into_path);
        Ok(paths.filter(|path| path.strip_prefix(root).is_ok_and(|below| matcher.is_match(below))).collect())
    }

    /// Reads the bytes of the file called `name`. The error says why this is impossible.
    pub(super) fn read_bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.0.resolve(self.0.root(), name).map_err(|_| OUTSIDE.to_owned())?;
        self.read_inside(&path)
    }

    /// Reads all files below the folder called `name`, by their paths in it. Version control, environments and what is built are
    /// left out, and so are links.
    pub(super) fn read_folder(&self, name: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let folder = self.0.resolve(self.0.root(), name).map_err(|_| OUTSIDE_FOLDER.to_owned())?;
        if !folder.is_dir() {
            return Err("no such folder".to_owned());
        }
        let is_kept = |entry: &DirEntry| {
            entry.depth() == 0 || !BUILT_FOLDERS.contains(&&*entry.file_name().to_string_lossy())
        };
        let mut files = BTreeMap::new();
        let mut bytes = 0;
        for entry in WalkDir::new(&folder).sort_by_file_name().into_iter().filter_entry(is_kept) {
            let entry = entry.map_err(|error| error.to_string())?;
            if !entry.file_type().is_file() {
                continue;
            }
            let content = self.read_inside(entry.path())?;
            bytes += content.len();
            if files.len() == MAX_FOLDER_FILES || bytes > MAX_FOLDER_BYTES {
                return Err(format!(
                    "the folder has more than {MAX_FOLDER_FILES} files or {MAX_FOLDER_BYTES} bytes: copy it, and name it with `from`"
                ));
            }
            let below = entry.path().strip_prefix(&folder).unwrap_or(entry.path());
            files.insert(below.to_string_lossy().replace('\\', "/"), content);
        }
        Ok(files)
    }

    fn read_inside(&self, path: &Path) -> Result<Vec<u8>, String> {
        let real = path.canonicalize().map_err(|_| MISSING.to_owned())?;
        if !real.starts_with(self.0.root()) {
            return Err(OUTSIDE.to_owned());
        }
        let size = real.metadata().map_err(|error| error.to_string())?.len();
        if !real.is_file() || size > MAX_FILE_BYTES {
            return Err(format!("no file of up to {MAX_FILE_BYTES} bytes"));
        }
        fs::read(&real).map_err(|error| error.to_string())
    }

    /// Returns the name of the folder.
    pub(super) fn folder_name(&self) -> Option<String> {
        Some(self.0.root().file_name()?.to_string_lossy().into_owned())
    }

    /// Reads the file at `path`. The error says why this is impossible, for example because a link leads outside.
    pub(super) fn read_source(&self, path: &Path) -> Result<Arc<Source>, String> {
        let text = self.0.read(path, strip_byte_order_mark).map_err(|error| match error.problem {
            ReadProblem::Outside(_) => OUTSIDE.to_owned(),
            ReadProblem::Missing => MISSING.to_owned(),
            problem => problem.to_string(),
        })?;
        Ok(Source::new(self.0.name(path), text))
    }
}

fn resolve_links(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn strip_byte_order_mark(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()
}

fn is_skipped(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || SKIPPED_FOLDERS.contains(&&*name)
}

/// Returns a path with plain names only.
pub(super) fn check_inside(path: &str) -> Result<String, String> {
    let mut names = Vec::new();
    for part in Path::new(path).components() {
        match part {
            // A configuration of git can name programs, and git runs them in this folder.
            Component::Normal(name) if name.eq_ignore_ascii_case(".git") => {
                return Err(format!("`{path}` belongs to git, which may run what it says"));
            }
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::CurDir => {}
            _ => return Err(format!("`{path}` is no path inside of a folder")),
        }
    }
    if names.is_empty() { Err("missing `path`".to_owned()) } else { Ok(names.join("/")) }
}

/// Whether the file has one of the extensions.
pub(super) fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a folder");
        for folder in ["in[1]/a", "in[1]/node_modules"] {
            fs::create_dir_all(dir.path().join(folder)).expect("a folder");
        }
        for file in ["in[1]/b.txt", "in[1]/a/c.txt", "in[1]/node_modules/d.txt", "secret.txt"] {
            fs::write(dir.path().join(file), file).expect("a file");
        }
        symlink("../secret.txt", dir.path().join("in[1]/link.txt")).expect("a link");
        symlink("..", dir.path().join("in[1]/up")).expect("a link");
        dir
    }

    fn read(source_dir: &SourceDir, name: &str) -> Result<Vec<String>, String> {
        let found = source_dir.find_files(name)?;
        found.iter().map(|path| Ok(source_dir.read_source(path)?.text().to_owned())).collect()
    }

    #[test]
    fn what_lies_in_the_folder_is_read() {
        let dir = folder();
        let source_dir = SourceDir::around(&dir.path().join("in[1]/config.yaml"));
        for name in ["b.txt", "./b.txt", "a/../b.txt", "b.*"] {
            assert_eq!(read(&source_dir, name), Ok(vec!["in[1]/b.txt".to_owned()]), "{name}");
        }
        assert_eq!(read(&source_dir, "a/*.txt"), Ok(vec!["in[1]/a/c.txt".to_owned()]));
        for name in ["a", "gone.txt", "a/*.csv", "[", "**/d.txt"] {
            assert!(read(&source_dir, name).is_err(), "{name}");
        }
    }

    /// The files of a workspace are written at such paths, and git runs what its own files name.
    #[test]
    fn a_path_inside_has_plain_names_and_none_of_git() {
        assert_eq!(check_inside("./src/.gitignore").as_deref(), Ok("src/.gitignore"));
        for path in [".git/config", "sub/.git/hooks/post-checkout", ".GIT/config", ".git"] {
            let problem = check_inside(path).expect_err(path);
            assert_eq!(problem, format!("`{path}` belongs to git, which may run what it says"));
        }
        for path in ["", ".", "..", "a/../../b", "/etc/passwd"] {
            assert!(check_inside(path).is_err(), "{path}");
        }
    }

    #[test]
    fn nothing_outside_is_read() {
        let dir = folder();
        let source_dir = SourceDir::around(&dir.path().join("in[1]/config.yaml"));
        let absolute = dir.path().join("secret.txt").to_string_lossy().into_owned();
        for name in
            ["../secret.txt", "a/../../secret.txt", "link.txt", "up/secret.txt", "l*.txt", absolute.as_str()]
        {
            assert_eq!(read(&source_dir, name), Err(OUTSIDE.to_owned()), "{name}");
        }
        assert!(!read(&source_dir, "../*.txt").is_ok_and(|texts| !texts.is_empty()));
    }
}
