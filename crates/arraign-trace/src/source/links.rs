//! Opening what really lies inside the roots: a link may point anywhere.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::{FileOpener, ReadError, ReadProblem, lock, problem_of};

impl FileOpener {
    /// Opens a file. Where a link is met, the real path must lie inside a real root.
    pub(super) fn open_inside(&self, path: &Path) -> Result<File, ReadError> {
        if self.folder_is_inside(path.parent().unwrap_or(path)) {
            // Hardly any file is a link, and opening the file detects one as well as a check before it would.
            if let Ok(file) = open_unlinked(path) {
                return Ok(file);
            }
        }
        self.refuse_links(path)?;
        open_at_once(path).map_err(|error| {
            // Windows refuses to open a folder, and does not say that it is one.
            let problem = if path.is_dir() { ReadProblem::Folder } else { problem_of(&error) };
            self.read_error(path, problem)
        })
    }

    /// A link may point anywhere: where one is met, the real path must lie inside a real root.
    pub(super) fn refuse_links(&self, path: &Path) -> Result<(), ReadError> {
        let folder = path.parent().unwrap_or(path);
        let is_link = fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_symlink());
        let inside = if is_link { self.is_really_inside(path) } else { self.folder_is_inside(folder) };
        if inside { Ok(()) } else { Err(self.read_error(path, self.outside())) }
    }

    fn folder_is_inside(&self, folder: &Path) -> bool {
        if let Some(known) = lock(&self.real_folders).get(folder) {
            return *known;
        }
        let inside = self.is_really_inside(folder);
        lock(&self.real_folders).insert(folder.to_owned(), inside);
        inside
    }

    /// True for what is not there, too: opening it says so.
    pub(super) fn is_really_inside(&self, path: &Path) -> bool {
        path.canonicalize().map_or(true, |real| self.is_inside(&real))
    }

    /// Whether `real`, a path without links, is inside a root.
    pub fn is_inside(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| root.canonicalize().is_ok_and(|root| real.starts_with(root)))
    }
}

/// Fails for a link, and for what cannot be opened at all.
#[cfg(unix)]
fn open_unlinked(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

/// Opens a regular file. Opening a named pipe does not wait for a writer, and is an error.
#[doc(hidden)]
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
}

/// Opens a file without waiting: a named pipe opens when somebody writes to it, perhaps never.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    Ok(File::from(open(path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
fn open_unlinked(_path: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
