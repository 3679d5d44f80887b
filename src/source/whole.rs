//! Writes a file atomically: no process ever sees a part of it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::temporary_path;

/// The number of temporary files so far, which makes their names unique in this process.
static WRITTEN: AtomicUsize = AtomicUsize::new(0);

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
