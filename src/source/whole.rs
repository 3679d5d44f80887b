//! Writes a file atomically: no process ever sees a part of it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{is_temporary, lock, temporary_path};

/// The number of temporary files so far, which makes their names unique in this process.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

/// The folders that this process has cleared of leftovers.
static CLEARED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// How old a temporary file is that nobody writes any more. Writing takes milliseconds.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Writes a file atomically: under a temporary name, which is then renamed. An existing file is replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    clear_leftovers(path.parent().unwrap_or(path));
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

/// Writes a file like [`write_whole`], and creates its folder.
pub fn write_with_folder(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    write_whole(path, bytes)
}

/// Removes the temporary files that killed processes left in `folder`, once in this process.
///
/// Their age decides, not the number of their process: another machine that shares the folder has the same numbers.
fn clear_leftovers(folder: &Path) {
    if !lock(&CLEARED).get_or_insert_default().insert(folder.to_owned()) {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| is_temporary(&entry.path())) {
        let age = entry.metadata().and_then(|known| known.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > LEFTOVER_AGE) {
            // Another process may have removed the file first.
            let _ = fs::remove_file(entry.path());
        }
    }
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

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let error = write_whole(&dir.path().join("gone/v.json"), b"{}").expect_err("no folder");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_after_an_hour() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let [old, new] = [1, 2].map(|number| temporary_path(&dir.path().join("v.json"), 4711, number));
        let other = dir.path().join(".mine.tmp");
        let now = std::time::SystemTime::now();
        for (path, age) in [
            (&old, LEFTOVER_AGE + Duration::from_secs(60)),
            (&new, Duration::ZERO),
            (&other, 2 * LEFTOVER_AGE),
        ] {
            let file = File::create(path).expect("a file");
            file.set_modified(now - age).expect("its time is set");
        }
        write_whole(&dir.path().join("w.json"), b"{}").expect("it is written");
        assert_eq!([old.exists(), new.exists(), other.exists()], [false, true, true]);
    }
}
