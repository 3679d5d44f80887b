//! The files of a package that its agents depend on: found by globs, and hashed.
//!
//! A file that git ignores is left out, because it differs between machines. So is a link that leads out of the package.
//! Line breaks are hashed as line feeds, because git may check out a file with either.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};

use super::{fingerprint_bytes, write_with_folder};

use crate::json;

/// The fingerprints of files, by their paths below the package.
pub type FileFingerprints = BTreeMap<String, String>;

/// The age that a file must have before its hash is kept in a file. A younger one can change again without another time or
/// size, because the clocks of file systems are coarse.
const SETTLED_AGE: Duration = Duration::from_secs(2);

/// Hashes the files of one package. Each file is hashed once, as long as its size and its time stay the same.
#[derive(Debug)]
pub struct InputHasher {
    base: PathBuf,
    /// The file that processes of one run share, so that not each of them hashes all files.
    shared: Option<PathBuf>,
    known: BTreeMap<String, KnownHash>,
}

/// The hash of a file, and the size and time that it had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnownHash {
    size: u64,
    modified_ns: u64,
    hash: String,
}

/// Why the files of a pattern have no hashes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A file cannot be read.
    #[error("{name}: {error}")]
    Unreadable {
        /// The file, relative to the package.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// The pattern matches nothing.
    #[error("it matches no file of the package")]
    NoFile,
}

impl InputHasher {
    /// Creates a hasher for the package in the folder `base`. Hashes are also kept in the file `shared`.
    pub fn new(base: &Path, shared: Option<PathBuf>) -> Self {
        let text = shared.as_ref().and_then(|path| fs::read_to_string(path).ok());
        // A file that cannot be read costs time only: everything is hashed again.
        let known = text.and_then(|text| json::from_str(&text).ok()).unwrap_or_default();
        Self { base: base.to_owned(), shared, known }
    }

    /// Hashes the files that `is_meant` says yes to, of those at the path `start` of the package or below it.
    pub fn hash_matching(
        &mut self,
        start: &str,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<FileFingerprints, InputError> {
        let mut found = FileFingerprints::new();
        for path in self.walk_files(start) {
            // Globs are matched against names with `/`, so that one pattern and one recording serve every system.
            let name = relative_name(&path, &self.base);
            if is_meant(&name) {
                let hash = self.hash_file(&path, &name);
                let hash = hash.map_err(|error| InputError::Unreadable { name: name.clone(), error })?;
                found.insert(name, hash);
            }
        }
        if found.is_empty() { Err(InputError::NoFile) } else { Ok(found) }
    }

    /// Lists the files below the folder, or at the path, `start`.
    fn walk_files(&self, start: &str) -> Vec<PathBuf> {
        let start = self.base.join(start);
        let real_base = self.base.canonicalize().unwrap_or_else(|_| self.base.clone());
        // The walk begins at the package, so that a folder on the way to the files may be ignored, too.
        let mut walk = WalkBuilder::new(&self.base);
        walk.hidden(false).ignore(false).follow_links(true).filter_entry(move |entry| {
            let path = entry.path();
            // A folder is entered if it leads to the start, or lies below it. The rest of the package, such as
            // `target`, is never listed.
            let is_on_the_way = start.starts_with(path) || path.starts_with(&start);
            // A link that leads out of the package is left out: its files differ from machine to machine.
            let leads_out = || !path.canonicalize().is_ok_and(|real| real.starts_with(&real_base));
            is_on_the_way && entry.file_name() != ".git" && !(entry.path_is_symlink() && leads_out())
        });
        let entries = walk.build().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        files.map(ignore::DirEntry::into_path).collect()
    }

    fn hash_file(&mut self, path: &Path, name: &str) -> io::Result<String> {
        let metadata = fs::metadata(path)?;
        let size = metadata.len();
        let modified_ns = modified_ns(&metadata);
        // A changed size or time shows a change without reading the file, as in git.
        if let Some(known) = self.known.get(name)
            && (known.size, known.modified_ns) == (size, modified_ns)
        {
            return Ok(known.hash.clone());
        }
        // A checkout on Windows has other line breaks, and is the same input.
        let hash = fingerprint_bytes(&unify_line_breaks(fs::read(path)?));
        self.known.insert(name.to_owned(), KnownHash { size, modified_ns, hash: hash.clone() });
        Ok(hash)
    }

    /// Keeps the hashes for the other processes of the run. A failure costs time only.
    pub fn share_hashes(&self) {
        let Some(path) = self.shared.as_ref().filter(|_| !self.known.is_empty()) else { return };
        // A file that was written a moment ago may change again within the same tick of the clock.
        let youngest = SystemTime::now().checked_sub(SETTLED_AGE).map_or(0, nanoseconds);
        let settled: BTreeMap<_, _> =
            self.known.iter().filter(|(_, known)| known.modified_ns < youngest).collect();
        let json = json::to_vec(&settled).map_err(io::Error::from);
        let _ = json.and_then(|json| write_with_folder(path, &json));
    }
}

pub(super) fn relative_name(path: &Path, base: &Path) -> String {
    let below = path.strip_prefix(base).unwrap_or(path);
    let parts: Vec<_> = below.iter().filter(|part| *part != ".").map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

pub(super) fn modified_ns(metadata: &Metadata) -> u64 {
    metadata.modified().map_or(0, nanoseconds)
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn unify_line_breaks(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.contains(&b'\r') {
        return bytes;
    }
    let mut unified = Vec::with_capacity(bytes.len());
    // Only a carriage return before a line feed is dropped: alone it is part of the content.
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            unified.push(*byte);
        }
    }
    unified
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PathPattern;

    fn package(files: &[(&str, &str)]) -> tempfile::TempDir {
        let package = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = package.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
            fs::write(path, text).expect("the file is written");
        }
        package
    }

    fn hash(hasher: &mut InputHasher, pattern: &str) -> Result<FileFingerprints, InputError> {
        let pattern = PathPattern::new(pattern).expect("a pattern");
        hasher.hash_matching(pattern.fixed_part(), |name| pattern.matches(name))
    }

    fn names(package: &tempfile::TempDir, pattern: &str) -> Vec<String> {
        let found = hash(&mut InputHasher::new(package.path(), None), pattern);
        found.map(|found| found.into_keys().collect()).unwrap_or_default()
    }

    #[test]
    fn globs_files_and_folders_name_files_that_git_does_not_ignore() {
        let files = ["p/a.md", "p/deep/b.md", "p/c.tmp", ".git/d.md", "src/agent.py", ".gitignore"];
        let package = package(&files.map(|file| (file, "*.tmp\n")));
        assert_eq!(names(&package, "p/**"), ["p/a.md", "p/deep/b.md"]);
        assert_eq!(names(&package, "p"), ["p/a.md", "p/deep/b.md"]);
        assert_eq!(names(&package, "p/*"), ["p/a.md"]);
        assert_eq!(names(&package, "**/*.md"), ["p/a.md", "p/deep/b.md"]);
        assert_eq!(names(&package, "**/*.py"), ["src/agent.py"]);
        assert_eq!(names(&package, "src/agent.py"), ["src/agent.py"]);
        assert_eq!(names(&package, "p/c.tmp"), Vec::<String>::new());
    }

    #[test]
    fn line_breaks_of_both_kinds_are_equal_and_other_bytes_are_not() {
        let package = package(&[("a", "one\r\ntwo\r\n"), ("b", "one\ntwo\n"), ("c", "one\rtwo\n")]);
        let found = hash(&mut InputHasher::new(package.path(), None), "*").expect("files");
        assert_eq!(found["a"], found["b"]);
        assert_ne!(found["a"], found["c"]);
    }

    #[test]
    fn shared_hashes_are_used_until_the_file_changes() {
        let package = package(&[("a", "one")]);
        let long_ago = UNIX_EPOCH + Duration::from_secs(1000);
        let file = fs::File::options().write(true).open(package.path().join("a")).expect("the file");
        file.set_modified(long_ago).expect("a time");
        let shared = package.path().join("cache/hashes.json");
        let mut hasher = InputHasher::new(package.path(), Some(shared.clone()));
        hash(&mut hasher, "a").expect("a file");
        hasher.share_hashes();
        let kept = fs::read_to_string(&shared).expect("the shared hashes");
        fs::write(&shared, kept.replace("sha256:", "kept:")).expect("the shared hashes");
        let found = hash(&mut InputHasher::new(package.path(), Some(shared.clone())), "a").expect("a file");
        assert!(found["a"].starts_with("kept:"));
        fs::write(package.path().join("a"), "two").expect("the file changes");
        let found = hash(&mut InputHasher::new(package.path(), Some(shared)), "a").expect("a file");
        assert!(found["a"].starts_with("sha256:"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_of_the_package_is_left_out() {
        let other = package(&[("secret", "")]);
        let package = package(&[("p/a.md", "")]);
        for (name, target) in [("p/out", other.path().to_owned()), ("p/in", package.path().join("p/a.md"))] {
            std::os::unix::fs::symlink(target, package.path().join(name)).expect("a link");
        }
        assert_eq!(names(&package, "p/**"), ["p/a.md", "p/in"]);
    }
}
