//! Writes files inside the roots only, like reading.

use std::path::Path;

use super::{Files, ReadError, write_lasting};

impl Files {
    /// Writes a file inside a root, as a whole or not at all, and creates its folder. A link that leads out of the roots is
    /// an error.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), ReadError> {
        let path = self.resolve_for_writing(path)?;
        write_lasting(&path, bytes).map_err(|error| self.io_error(&path, &error))
    }

    /// Removes a folder inside a root with everything in it. One that does not exist is no error.
    pub fn remove_folder(&self, path: &Path) -> Result<(), ReadError> {
        let path = self.resolve_for_writing(path)?;
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(self.io_error(&path, &error)),
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nothing_is_written_outside() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let root = dir.path().join("evals");
        let secret = dir.path().join("secret");
        fs::create_dir_all(&root).expect("a folder");
        fs::create_dir_all(&secret).expect("a folder");
        std::os::unix::fs::symlink(&secret, root.join("traces")).expect("a link");
        let files = Files::new(dir.path(), &root);
        for path in ["traces/a.json", "traces/s/a.json", "../a.json"] {
            files.write(&root.join(path), b"{}").expect_err(path);
        }
        assert_eq!(fs::read_dir(&secret).expect("a folder").count(), 0);
        files.write(&root.join("t/s/a.json"), b"{}").expect("inside");
        assert_eq!(fs::read_to_string(root.join("t/s/a.json")).expect("it is there"), "{}");
    }
}
