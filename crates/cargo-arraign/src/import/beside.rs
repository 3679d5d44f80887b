//! Files that a file of another tool names: they are read where they lie in its folder or below it, and nowhere else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arraign::__internals::pattern::is_glob;
use arraign::__internals::place::Source;
use arraign::__internals::source::{Files, ReadProblem};
use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

const OUTSIDE: &str = "it lies outside of the folder of this file: copy it into that";
const MISSING: &str = "there is no such file";

/// Folders that hold what others wrote.
const PASSED_OVER: &[&str] = &["node_modules", "target"];

/// The folder of a file of another tool.
pub(super) struct Beside(Files);

impl Beside {
    /// That of the file at `path`.
    pub(super) fn of(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Self(Files::new(real(Path::new(".")), real(folder.unwrap_or(Path::new(".")))))
    }

    /// The files that `name` means: one, or those that a glob matches, by their names. The error is why there are none.
    pub(super) fn find(&self, name: &str) -> Result<Vec<PathBuf>, String> {
        let path = self.0.resolve(self.0.root(), name).map_err(|_| OUTSIDE.to_owned())?;
        if path.is_file() {
            return Ok(vec![path]);
        }
        if path.is_dir() {
            return Err("it is a folder: name the files in it, with a `*` perhaps".to_owned());
        }
        let found = if is_glob(name) { self.matching(&path)? } else { Vec::new() };
        if found.is_empty() { Err(MISSING.to_owned()) } else { Ok(found) }
    }

    /// The pattern is what stands below the folder, whose own name may hold any letters.
    fn matching(&self, pattern: &Path) -> Result<Vec<PathBuf>, String> {
        let root = self.0.root();
        let pattern = pattern.strip_prefix(root).unwrap_or(pattern);
        let glob = GlobBuilder::new(&pattern.to_string_lossy()).literal_separator(true).build();
        let matcher = glob.map_err(|error| format!("it is no pattern: {}", error.kind()))?.compile_matcher();
        let fixed = pattern.ancestors().find(|folder| !is_glob(&folder.to_string_lossy()));
        let entries = WalkDir::new(root.join(fixed.unwrap_or(Path::new("")))).sort_by_file_name().into_iter();
        let entries = entries.filter_entry(|entry| entry.depth() == 0 || !is_passed_over(entry));
        let files = entries.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir());
        let is_meant = |path: &PathBuf| path.strip_prefix(root).is_ok_and(|below| matcher.is_match(below));
        Ok(files.map(DirEntry::into_path).filter(is_meant).collect())
    }

    /// The file at `path`. The error is why it cannot be read: a link may lead outside.
    pub(super) fn source(&self, path: &Path) -> Result<Arc<Source>, String> {
        let read = |text: &str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let text = self.0.read(path, read).map_err(|error| match error.problem {
            ReadProblem::Outside(_) => OUTSIDE.to_owned(),
            ReadProblem::Missing => MISSING.to_owned(),
            problem => problem.to_string(),
        })?;
        Ok(Source::new(self.0.name(path), text))
    }
}

fn is_passed_over(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || PASSED_OVER.contains(&&*name)
}

/// Whether the file is called so.
pub(super) fn ends_in(path: &Path, extensions: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default();
    extensions.iter().any(|extension| own.eq_ignore_ascii_case(extension))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
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

    fn read(beside: &Beside, name: &str) -> Result<Vec<String>, String> {
        let found = beside.find(name)?;
        found.iter().map(|path| Ok(beside.source(path)?.text().to_owned())).collect()
    }

    #[test]
    fn what_lies_in_the_folder_is_read() {
        let dir = folder();
        let beside = Beside::of(&dir.path().join("in[1]/config.yaml"));
        for name in ["b.txt", "./b.txt", "a/../b.txt", "b.*"] {
            assert_eq!(read(&beside, name), Ok(vec!["in[1]/b.txt".to_owned()]), "{name}");
        }
        assert_eq!(read(&beside, "a/*.txt"), Ok(vec!["in[1]/a/c.txt".to_owned()]));
        for name in ["a", "gone.txt", "a/*.csv", "[", "**/d.txt"] {
            assert!(read(&beside, name).is_err(), "{name}");
        }
    }

    #[test]
    fn nothing_outside_is_read() {
        let dir = folder();
        let beside = Beside::of(&dir.path().join("in[1]/config.yaml"));
        let absolute = dir.path().join("secret.txt").to_string_lossy().into_owned();
        for name in
            ["../secret.txt", "a/../../secret.txt", "link.txt", "up/secret.txt", "l*.txt", absolute.as_str()]
        {
            assert_eq!(read(&beside, name), Err(OUTSIDE.to_owned()), "{name}");
        }
        assert!(!read(&beside, "../*.txt").is_ok_and(|texts| !texts.is_empty()));
    }
}
