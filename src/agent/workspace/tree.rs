//! Copies folders, and hashes what is in them. No link is followed, and nothing but files is opened.

use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::error::WorkspaceError;
use crate::source::FingerprintWriter;
use crate::workspace::{FileEntry, FileTree};

/// The folder of git. It is never compared.
const GIT_FOLDER: &str = ".git";

/// How a folder is copied.
pub(super) struct CopyRules<'r> {
    /// The most bytes that may be copied.
    pub(super) limit: u64,
    /// Whether two names of a folder that differ in case alone are an error: some systems have one file for both.
    pub(super) refuses_case: bool,
    /// Whether a file is left out.
    pub(super) leaves_out: &'r dyn Fn(&str, &Metadata) -> bool,
}

impl CopyRules<'_> {
    /// All files are copied, however large they are and whatever they are called.
    pub(super) const EVERYTHING: Self =
        Self { limit: u64::MAX, refuses_case: false, leaves_out: &|_, _| false };
}

/// Copies everything below `from` into the folder `to`, and returns remarks about what was left out.
pub(super) fn copy_tree(
    from: &Path,
    to: &Path,
    rules: &CopyRules<'_>,
) -> Result<Vec<String>, WorkspaceError> {
    let mut copy = TreeCopy { rules, copied: 0, notes: Vec::new() };
    copy.copy_folder(from, to, "").map(|()| copy.notes)
}

struct TreeCopy<'r> {
    rules: &'r CopyRules<'r>,
    copied: u64,
    notes: Vec<String>,
}

impl TreeCopy<'_> {
    fn copy_folder(&mut self, from: &Path, to: &Path, below: &str) -> Result<(), WorkspaceError> {
        fs::create_dir_all(to).map_err(WorkspaceError::at(to))?;
        let mut known = HashSet::new();
        for entry in list_folder(from).map_err(WorkspaceError::at(from))? {
            let path = entry.path();
            let name = entry.file_name();
            let shown = join_name(below, &name.to_string_lossy());
            if self.rules.refuses_case && !known.insert(name.to_string_lossy().to_lowercase()) {
                return Err(WorkspaceError::CaseDiffers(shown));
            }
            let metadata = fs::symlink_metadata(&path).map_err(WorkspaceError::at(&path))?;
            if (self.rules.leaves_out)(&shown, &metadata) {
                continue;
            }
            let target = to.join(&name);
            if metadata.is_dir() {
                self.copy_folder(&path, &target, &shown)?;
            } else if metadata.is_file() {
                self.copied = self.copied.saturating_add(metadata.len());
                if self.copied > self.rules.limit {
                    return Err(WorkspaceError::TooLarge(self.rules.limit));
                }
                if let Err(error) = fs::copy(&path, &target) {
                    self.notes.push(format!("`{shown}` was not copied: {error}"));
                }
            } else if metadata.is_symlink() {
                self.copy_link(&path, &target, &shown);
            } else {
                self.notes.push(format!("`{shown}` was not copied: it is neither a file nor a folder"));
            }
        }
        Ok(())
    }

    fn copy_link(&mut self, path: &Path, target: &Path, shown: &str) {
        let Ok(text) = fs::read_link(path) else { return };
        if leads_out(shown, &text) {
            let text = text.display();
            self.notes.push(format!("the link `{shown}` was not copied: it leads out, to `{text}`"));
        } else if let Err(error) = make_link(&text, target) {
            self.notes.push(format!("the link `{shown}` was not copied: {error}"));
        }
    }
}

#[cfg(unix)]
pub(super) fn make_link(text: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(text, at)
}

#[cfg(windows)]
pub(super) fn make_link(text: &Path, at: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(text, at)
}

/// Whether a link at `path`, which has this text, leads out of the folder to which `path` is relative.
pub(super) fn leads_out(path: &str, text: &Path) -> bool {
    let mut depth = path.matches('/').count();
    for part in text.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

fn list_folder(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    Ok(entries)
}

fn join_name(below: &str, name: &str) -> String {
    if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") }
}

/// Returns the sum of the sizes of all files below a folder, without opening one.
pub(super) fn measure_tree(root: &Path) -> u64 {
    let mut size = 0_u64;
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match fs::symlink_metadata(entry.path()) {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) if metadata.is_file() => size = size.saturating_add(metadata.len()),
                _ => {}
            }
        }
    }
    size
}

/// Hashes the files below a folder. One that is no folder, or a link to one, has no files. `.git` is left out, at every depth.
pub(super) fn hash_tree(root: &Path) -> FileTree {
    let mut tree = FileTree::new();
    if fs::symlink_metadata(root).is_ok_and(|metadata| metadata.is_dir()) {
        hash_folder(root, "", &mut tree);
    }
    tree
}

fn hash_folder(folder: &Path, below: &str, tree: &mut FileTree) {
    let Ok(entries) = list_folder(folder) else {
        tree.insert(below.to_owned(), FileEntry::Unreadable);
        return;
    };
    for entry in entries {
        let name = entry.file_name();
        if name == GIT_FOLDER {
            continue;
        }
        let path = entry.path();
        let shown = join_name(below, &name.to_string_lossy());
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => hash_folder(&path, &shown, tree),
            Ok(metadata) => {
                let entry = describe_entry(&path, &shown, &metadata);
                tree.insert(shown, entry);
            }
            // It has gone meanwhile.
            Err(_) => {}
        }
    }
}

fn describe_entry(path: &Path, shown: &str, metadata: &Metadata) -> FileEntry {
    if metadata.is_symlink() {
        let text = fs::read_link(path).unwrap_or_default();
        return FileEntry::Link {
            leaves: leads_out(shown, &text),
            target: text.to_string_lossy().into_owned(),
        };
    }
    if !metadata.is_file() {
        return FileEntry::Special;
    }
    let hashed = open_file(path).and_then(|mut file| {
        let mut hash = FingerprintWriter::default();
        let size = io::copy(&mut file, &mut hash)?;
        Ok((hash.finish(), size))
    });
    match hashed {
        Ok((hash, size)) => FileEntry::File { hash, size, executable: is_executable(metadata) },
        Err(_) => FileEntry::Unreadable,
    }
}

/// Opens a file. A link or a pipe that took its place meanwhile is an error, and is not waited for.
#[cfg(unix)]
fn open_file(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_file(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &Metadata) -> bool {
    false
}

/// Reads the content at a path for a comparison of lines: the bytes of a file, or the text of a link. `None` for anything else, and
/// for a file of more than `limit` bytes.
pub(super) fn read_content(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if metadata.is_symlink() {
        return Some(fs::read_link(path).ok()?.to_string_lossy().into_owned().into_bytes());
    }
    if !metadata.is_file() || metadata.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    open_file(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the file that a path in a folder leads to by links inside of the folder. `None` if it leads out.
pub(super) fn follow_inside(root: &Path, path: &str) -> Option<PathBuf> {
    let real = root.join(path).canonicalize().ok()?;
    let root = root.canonicalize().ok()?;
    (real.starts_with(&root) && real.is_file()).then_some(real)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn rules(limit: u64) -> CopyRules<'static> {
        CopyRules { limit, refuses_case: true, ..CopyRules::EVERYTHING }
    }

    #[test]
    fn a_copy_has_the_same_hashes_and_no_link_that_leads_out() {
        let from = folder(&[("a.txt", "a"), ("sub/run.sh", "b"), (".git/config", "c")]);
        symlink("../a.txt", from.path().join("sub/inside")).expect("a link");
        symlink("/etc", from.path().join("sub/etc")).expect("a link");
        symlink("../../x", from.path().join("sub/up")).expect("a link");
        let to = tempfile::tempdir().expect("a folder");
        let notes = copy_tree(from.path(), to.path(), &rules(100)).expect("a copy");
        assert_eq!(notes.len(), 2, "{notes:?}");
        let mut expected = hash_tree(from.path());
        expected.retain(|path, _| path != "sub/etc" && path != "sub/up");
        assert_eq!(hash_tree(to.path()), expected);
        assert!(to.path().join(".git/config").exists() && !expected.contains_key(".git/config"));
    }

    #[test]
    fn a_template_that_is_too_large_or_differs_in_case_alone_is_refused() {
        let to = tempfile::tempdir().expect("a folder");
        let large = folder(&[("a", "12345678"), ("b", "12345678")]);
        assert!(copy_tree(large.path(), to.path(), &rules(10)).is_err());
        assert_eq!(measure_tree(large.path()), 16);
        let twice = folder(&[("Readme", ""), ("README", "")]);
        let refused = copy_tree(twice.path(), to.path(), &rules(10)).expect_err("one name");
        assert!(matches!(refused, WorkspaceError::CaseDiffers(_)), "{refused}");
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let folder = folder(&[("a", "a")]);
        let status = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
        assert!(status.expect("mkfifo runs").success());
        symlink("/dev/zero", folder.path().join("zero")).expect("a link");
        let tree = hash_tree(folder.path());
        assert_eq!(tree["pipe"], FileEntry::Special);
        assert_eq!(tree["zero"], FileEntry::Link { target: "/dev/zero".to_owned(), leaves: true });
        assert!(
            hash_tree(&folder.path().join("zero")).is_empty()
                && follow_inside(folder.path(), "zero").is_none()
        );
    }
}
