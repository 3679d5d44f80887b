//! Files that a command makes: one that is there already is never touched.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::stop::Stop;

/// Writes a file and the folders that it lies in. False: something of that name is there already.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<bool, Stop> {
    let refused = |error: io::Error| Stop::new(format!("cannot write {}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        let refused = |error| Stop::new(format!("cannot make the folder {}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(refused)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        file => file.and_then(|mut file| file.write_all(text.as_bytes())).map(|()| true).map_err(refused),
    }
}
