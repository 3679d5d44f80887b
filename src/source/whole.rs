//! Writes a file atomically: no process ever sees a part of it.
//!
//! There are two ways:
//!
//! - On Linux, a new file is created without a name (`O_TMPFILE`) and gets its name when it is complete (`linkat`). The folder
//!   changes once and not twice, and threads that write to the same folder wait for each other only for that moment.
//! - On other systems, on file systems without such files, and to replace an existing file, the file is written under a
//!   temporary name and renamed.
//!
//! The first way is tried first, and any error leads to the second, which reports its own error.

use std::fs::{self, File};
use std::io::{self, Write as _};
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The id of this process, which is part of temporary names.
static PROCESS: OnceLock<u32> = OnceLock::new();
/// The number of temporary files so far, which makes their names unique in this process.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// A folder for many files. It is created with the first file. On Linux it stays open, so that its path is resolved once.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    open: OnceLock<Option<OwnedFd>>,
}

impl Folder {
    /// The folder at `path`, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            #[cfg(target_os = "linux")]
            open: OnceLock::new(),
        }
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file with this name atomically. Creates the folder again if it was removed after the first file.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if self.link_file(name, bytes).is_ok() {
            return Ok(());
        }
        let path = self.path.join(name);
        write_renamed(&path, bytes).or_else(|_| {
            fs::create_dir_all(&self.path)?;
            write_renamed(&path, bytes)
        })
    }

    /// Writes a new file without a name and links it into the open folder.
    #[cfg(target_os = "linux")]
    fn link_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        use rustix::fs::{Mode, OFlags, open};

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = self.open.get_or_init(|| {
            fs::create_dir_all(&self.path).ok()?;
            open(&self.path, flags, Mode::empty()).ok()
        });
        let folder = folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        link_unnamed(folder.as_fd(), Path::new("."), Path::new(name), bytes)
    }

    #[cfg(not(target_os = "linux"))]
    fn link_file(&self, _name: &str, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Writes a file atomically. An existing file is replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_unnamed(path, bytes).or_else(|_| write_renamed(path, bytes))
}

#[cfg(target_os = "linux")]
fn write_unnamed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    link_unnamed(rustix::fs::CWD, folder, path, bytes)
}

/// Writes a file without a name in `folder`, and links it to `path`. Both are relative to `from`. Fails if the path exists,
/// and on file systems without support for such files.
#[cfg(target_os = "linux")]
fn link_unnamed(from: BorrowedFd<'_>, folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut file = File::from(openat(from, folder, flags, Mode::from_raw_mode(0o666))?);
    file.write_all(bytes)?;
    // Before Linux 6.10, only a privileged process may link the file by its descriptor; others use its path in /proc.
    if linkat(&file, "", from, path, AtFlags::EMPTY_PATH).is_ok() {
        return Ok(());
    }
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, descriptor, from, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn write_unnamed(_path: &Path, _bytes: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes a file under a temporary name and renames it, which replaces an existing file.
fn write_renamed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // The name is cut, because the temporary name must not exceed the limit of the file system either.
    let short: String = name.chars().take(100).collect();
    let process = PROCESS.get_or_init(process::id);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_file_name(format!(".{short}.{process}-{number}.tmp"));
    let written = File::create(&temporary).and_then(|mut file| file.write_all(bytes));
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_whole_replaces_another_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("v.json");
        for text in ["{\"a\": 1}", "{}"] {
            write_whole(&path, text.as_bytes()).expect("it is written");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn both_ways_give_a_file_the_same_rights() {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = tempfile::tempdir().expect("a temporary folder");
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        write_whole(&one, b"{}").expect("it is written");
        write_renamed(&other, b"{}").expect("it is written");
        let [one, other] = [one, other].map(|path| fs::metadata(path).expect("it is there").permissions());
        assert_eq!(one.mode(), other.mode());
    }

    #[test]
    fn a_folder_takes_many_files_and_is_made_anew_when_somebody_took_it_away() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let folder = Folder::at(dir.path().join("a/b"));
        assert!(!folder.path().exists());
        let write = |name: &str, text: &str| folder.write_file(name, text.as_bytes()).expect("it is written");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
        write("one", "1");
        write("other", "2");
        write("one", "3");
        assert_eq!((read("one"), read("other")), ("3".to_owned(), "2".to_owned()));
        fs::remove_dir_all(folder.path()).expect("it is removed");
        write("one", "4");
        assert_eq!(read("one"), "4");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let error = write_whole(&dir.path().join("gone/v.json"), b"{}").expect_err("no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
