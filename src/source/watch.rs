//! The files of a package at one moment, to tell which of them agents changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::inputs::{modified_ns, relative_name};

/// The most files that are looked at. In a larger package, nothing is noticed.
const MAX_FILES: usize = 20_000;

/// The sizes and times of the files of a package, without those that git ignores.
#[derive(Debug)]
pub struct PackageFiles {
    base: PathBuf,
    /// Folders that arraign itself writes to.
    own: Vec<PathBuf>,
    seen: BTreeMap<String, (u64, u64)>,
}

impl PackageFiles {
    /// Looks at the files below `base`, without those below the folders `own`. `None` if there are too many.
    pub fn look_at(base: &Path, own: Vec<PathBuf>) -> Option<Self> {
        let seen = list_files(base, &own)?;
        Some(Self { base: base.to_owned(), own, seen })
    }

    /// Lists the files that were added, removed or written since then.
    pub fn find_changed(&self) -> Vec<String> {
        let Some(now) = list_files(&self.base, &self.own) else { return Vec::new() };
        let mut changed: Vec<String> = self.seen.keys().chain(now.keys()).cloned().collect();
        changed.sort();
        changed.dedup();
        changed.retain(|path| self.seen.get(path) != now.get(path));
        changed
    }
}

fn list_files(base: &Path, own: &[PathBuf]) -> Option<BTreeMap<String, (u64, u64)>> {
    let own = own.to_owned();
    let mut walk = WalkBuilder::new(base);
    walk.hidden(false).ignore(false).require_git(false).filter_entry(move |entry| {
        let name = entry.file_name().to_string_lossy();
        // Cargo's folder may be in no `.gitignore` yet.
        let is_of_tools = entry.depth() > 0 && ["target", ".git"].contains(&&*name);
        !is_of_tools && !own.iter().any(|folder| entry.path().starts_with(folder))
    });
    let mut files = BTreeMap::new();
    for entry in walk.build().filter_map(Result::ok) {
        if let Ok(metadata) = entry.metadata()
            && metadata.is_file()
        {
            files.insert(relative_name(entry.path(), base), (metadata.len(), modified_ns(&metadata)));
        }
        if files.len() > MAX_FILES {
            return None;
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_git_ignores_and_those_of_arraign_are_not_looked_at() {
        let package = tempfile::tempdir().expect("a folder");
        let write = |path: &str| {
            let path = package.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "xx").expect("a file");
        };
        fs::write(package.path().join(".gitignore"), "*.log\n").expect("a file");
        write("a.txt");
        let seen = PackageFiles::look_at(package.path(), vec![package.path().join("evals/traces")]);
        let seen = seen.expect("few files");
        assert_eq!(seen.find_changed(), Vec::<String>::new());
        for path in ["b.txt", "c.log", "target/x", "evals/traces/s/a.json"] {
            write(path);
        }
        fs::remove_file(package.path().join("a.txt")).expect("it goes");
        assert_eq!(seen.find_changed(), ["a.txt", "b.txt"]);
    }
}
