//! A file to which several processes append whole lines, such as what each process of a run has spent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file to which several processes append lines.
#[derive(Debug, Clone)]
pub struct Ledger(PathBuf);

impl Ledger {
    /// The ledger at `path`. The file is created with the first line.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Appends a line. A single write in append mode is atomic, so lines of several processes do not mix.
    pub fn append_line(&self, line: &str) -> io::Result<()> {
        if line.contains('\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected one line"));
        }
        let mut file = self.open_file()?;
        let line = format!("{line}\n");
        // `write_all` could write the rest in a second call, after a line of another process.
        let written = file.write(line.as_bytes())?;
        if written < line.len() { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    }

    /// Reads all lines. It is an error if the file could not be appended to: this must be known before money is spent.
    pub fn lines(&self) -> io::Result<Vec<String>> {
        drop(self.open_file()?);
        Ok(fs::read_to_string(&self.0)?.lines().map(str::to_owned).collect())
    }

    fn open_file(&self) -> io::Result<File> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().append(true).create(true).open(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn lines_of_many_writers_stay_whole() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("a/b.jsonl");
        let write = |writer: usize| {
            let ledger = Ledger::at(path.clone());
            let line = writer.to_string().repeat(200);
            (0..50).for_each(|_| ledger.append_line(&line).expect("it is added"));
        };
        thread::scope(|scope| (1..=8).for_each(|writer| drop(scope.spawn(move || write(writer)))));
        let mut lines = Ledger::at(path.clone()).lines().expect("it is read");
        lines.sort();
        let all = (1..=8).flat_map(|writer: usize| vec![writer.to_string().repeat(200); 50]);
        assert_eq!(lines, all.collect::<Vec<_>>());
    }

    #[test]
    fn two_lines_are_not_one_and_a_folder_is_no_ledger() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let ledger = Ledger::at(dir.path().join("l"));
        assert_eq!(ledger.append_line("a\nb").expect_err("two lines").kind(), io::ErrorKind::InvalidInput);
        assert!(ledger.lines().expect("it is empty").is_empty());
        assert!(Ledger::at(dir.path().to_owned()).lines().is_err());
    }
}
