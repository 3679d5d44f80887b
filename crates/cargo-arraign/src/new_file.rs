//! Creates files, and never overwrites an existing file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::error::CliError;

/// Writes a new file and its folders. Returns false if the file already exists.
pub(crate) fn write_new(path: &Path, content: impl AsRef<[u8]>) -> Result<bool, CliError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            CliError::new(format!("cannot create the folder {}: {error}", folder.display()))
        })?;
    }
    // The file is created only if it is new, in one step: a check before it could be outrun.
    match create_and_write(path, content.as_ref()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(CliError::new(format!("cannot write {}: {error}", path.display()))),
    }
}

fn create_and_write(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(content)
}
