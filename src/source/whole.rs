//! Writes a file atomically: no process ever sees a part of it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{find_writer, lock, temporary_path};

/// The number of temporary files so far, which makes their names unique in this process.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// The folders in which the temporary files of killed processes were looked for.
static CLEARED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Writes a file atomically: under a temporary name, which is then renamed. An existing file is replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_path(path, process::id(), WRITTEN.fetch_add(1, Ordering::Relaxed));
    let written = File::create(&temporary).and_then(|mut file| file.write_all(bytes));
    // A file that replaces another one may be read and written by the same people.
    let kept = fs::metadata(path).map(|known| fs::set_permissions(&temporary, known.permissions()));
    let renamed = written.and_then(|()| kept.unwrap_or(Ok(()))).and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// Writes a file that stays, such as a recording or a snapshot, like [`write_with_folder`]. The first such file in a folder takes
/// the temporary files with it that killed processes have left there.
pub fn write_lasting(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    if lock(&CLEARED).get_or_insert_default().insert(folder.to_owned()) {
        clear_temporary_files(folder);
    }
    match write_with_folder(path, bytes) {
        // A process that does not see this one, in a container that shares the folder, may have cleared the file away.
        Err(error) if error.kind() == ErrorKind::NotFound => write_with_folder(path, bytes),
        written => written,
    }
}

/// Removes the temporary files of processes that have ended. A file that cannot be removed does no harm.
fn clear_temporary_files(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if find_writer(&path).is_some_and(has_ended) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Whether no process on this machine has the id. Where that cannot be found out, the answer is no.
#[cfg(unix)]
fn has_ended(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) == Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn has_ended(_process: u32) -> bool {
    false
}

/// Writes a file like [`write_whole`], and creates its folder.
pub fn write_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    write_whole(path, bytes)
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

    /// Only what a process that has ended has left is removed.
    #[cfg(unix)]
    #[test]
    fn the_files_of_killed_processes_are_cleared_away() {
        let mut ended = process::Command::new("true").spawn().expect("a process");
        let killed = ended.id();
        ended.wait().expect("it ends");
        let dir = tempfile::tempdir().expect("a temporary folder");
        let left = temporary_path(&dir.path().join("a.snap"), killed, 0);
        let running = temporary_path(&dir.path().join("b.snap"), process::id(), 9999);
        let own = dir.path().join(".keep.tmp");
        for path in [&left, &running, &own] {
            fs::write(path, "").expect("it is written");
        }
        write_lasting(&dir.path().join("v.json"), b"{}").expect("it is written");
        assert_eq!([&left, &running, &own].map(|path| path.exists()), [false, true, true]);
    }

    /// Another name of the old file still shows the old text: the new text was never written into the old file.
    #[test]
    fn the_old_file_is_left_as_it_was() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("v.json");
        let old = dir.path().join("old.json");
        fs::write(&path, "{\"a\": 1}").expect("it is written");
        fs::hard_link(&path, &old).expect("a second name");
        write_whole(&path, b"{}").expect("it is replaced");
        assert_eq!(fs::read_to_string(&old).expect("it is there"), "{\"a\": 1}");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "{}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let error = write_whole(&dir.path().join("gone/v.json"), b"{}").expect_err("no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
