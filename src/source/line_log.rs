//! A file of lines that only grows, such as the verdicts of a run.
//!
//! Several processes can append to one log. A line is appended with a single write in append mode, so lines never mix. A
//! process that is killed, or a full disk, can leave a torn line; the next line begins on a line of its own, so that a
//! reader loses nothing but the torn one.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock;

/// A file to which lines are appended. It is created with the first line and stays open.
#[derive(Debug)]
pub struct LineLog {
    path: PathBuf,
    is_shared: bool,
    open: Mutex<Option<OpenLog>>,
    /// Lines that were written here are gone, because the file was removed.
    has_lost_lines: AtomicBool,
}

/// The open file.
#[derive(Debug)]
struct OpenLog {
    file: File,
    length: u64,
    /// Where the last line ends that was written here: nothing before it is torn.
    own_end: u64,
}

impl LineLog {
    /// The log at `path`, which need not exist.
    pub fn at(path: PathBuf) -> Self {
        Self { path, is_shared: false, open: Mutex::new(None), has_lost_lines: AtomicBool::new(false) }
    }

    /// The log at `path`, which is locked for every line. On a network file system, where appending is not atomic, this
    /// keeps the lines of several processes apart.
    pub fn locked_at(path: PathBuf) -> Self {
        Self { is_shared: true, ..Self::at(path) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line, given without its line break. After an error, a part of the line may be in the file.
    pub fn append_line(&self, line: &[u8]) -> io::Result<()> {
        if line.contains(&b'\n') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected one line"));
        }
        let mut held = lock(&self.open);
        // A log that another process has removed is created again; a verdict must not vanish in a deleted file.
        let known = held.take().and_then(|log| self.keep_if_named(log));
        let log = held.insert(match known {
            Some(log) => log,
            None => OpenLog::open(&self.path)?,
        });
        if !self.is_shared {
            return log.write_line(line);
        }
        // On a shared log another process may append, too. The lock covers the look at the last byte and the write.
        log.file.lock()?;
        let written = log.look_again(&self.path).and_then(|_| log.write_line(line));
        log.file.unlock().and(written)
    }

    /// Returns the open log if its file still has a name. What was written to a file without one is lost.
    fn keep_if_named(&self, mut log: OpenLog) -> Option<OpenLog> {
        let has_name = log.look_again(&self.path).unwrap_or(false);
        if !has_name {
            self.has_lost_lines.fetch_or(log.own_end > 0, Ordering::Relaxed);
        }
        has_name.then_some(log)
    }

    /// Whether lines that were appended here are in no file any more, because somebody has removed it.
    pub fn has_lost_lines(&self) -> bool {
        let mut held = lock(&self.open);
        *held = held.take().and_then(|log| self.keep_if_named(log));
        self.has_lost_lines.load(Ordering::Relaxed)
    }

    /// Reads all lines. It is an error if the file could not be appended to: a judge must know this before it spends money.
    pub fn read_lines(&self) -> io::Result<Vec<String>> {
        drop(open_log(&self.path)?);
        Ok(fs::read_to_string(&self.path)?
            .lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect())
    }
}

fn open_log(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

impl OpenLog {
    fn open(path: &Path) -> io::Result<Self> {
        let mut log = Self { file: open_log(path)?, length: 0, own_end: 0 };
        log.look_again(path)?;
        Ok(log)
    }

    /// Looks at the length of the file. Returns whether the file still has a name: a user who empties the folder of all runs
    /// during a run must not lose the lines that follow.
    fn look_again(&mut self, path: &Path) -> io::Result<bool> {
        let metadata = self.file.metadata()?;
        self.length = metadata.len();
        Ok(has_name(&metadata, path))
    }

    /// Writes a line at the end, after a line break if the last line was torn.
    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(line.len() + 2);
        let may_be_torn = self.length != self.own_end && self.length > 0;
        if may_be_torn && !self.ends_with_line_break()? {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        // `write_all` could write the rest in a second call, after a line of another process.
        if self.file.write(&bytes)? == bytes.len() {
            self.own_end = self.length + bytes.len() as u64;
            return Ok(());
        }
        // A full disk takes a part of the line, and the system says why only when it is asked again.
        self.file.write_all(b"\n")?;
        Err(io::ErrorKind::WriteZero.into())
    }

    /// Whether the last byte is a line break.
    fn ends_with_line_break(&mut self) -> io::Result<bool> {
        // A process that was killed may have left half a line.
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        Ok(last == [b'\n'])
    }
}

#[cfg(unix)]
fn has_name(metadata: &Metadata, _path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    metadata.nlink() > 0
}

/// Windows deletes open files as well, but does not tell how many names one has.
#[cfg(not(unix))]
fn has_name(_metadata: &Metadata, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn append_from_many_writers(open: fn(PathBuf) -> LineLog) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("a/b.jsonl");
        let write = |writer: usize| {
            let log = open(path.clone());
            let line = writer.to_string().repeat(200);
            (0..50).for_each(|_| log.append_line(line.as_bytes()).expect("the line is appended"));
        };
        thread::scope(|scope| (1..=8).for_each(|writer| drop(scope.spawn(move || write(writer)))));
        let mut lines = LineLog::at(path.clone()).read_lines().expect("the log is read");
        lines.sort();
        let all = (1..=8).flat_map(|writer: usize| vec![writer.to_string().repeat(200); 50]);
        assert_eq!(lines, all.collect::<Vec<_>>());
    }

    #[test]
    fn lines_of_many_writers_stay_whole() {
        append_from_many_writers(LineLog::at);
        append_from_many_writers(LineLog::locked_at);
    }

    #[test]
    fn a_line_after_a_torn_one_begins_on_its_own() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let log = LineLog::at(dir.path().join("log"));
        log.append_line(b"one").expect("the line is appended");
        fs::write(log.path(), "one\n{\"tor").expect("the log is torn");
        log.append_line(b"two").expect("the line is appended");
        LineLog::at(log.path().to_owned()).append_line(b"three").expect("the line is appended");
        assert_eq!(fs::read_to_string(log.path()).expect("the log"), "one\n{\"tor\ntwo\nthree\n");
    }

    // Windows removes no folder with an open file.
    #[cfg(unix)]
    #[test]
    fn a_log_is_created_again_after_its_folder_was_removed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let log = LineLog::at(dir.path().join("run/log"));
        log.append_line(b"one").expect("the line is appended");
        fs::remove_dir_all(dir.path().join("run")).expect("the folder is removed");
        log.append_line(b"two").expect("the line is appended");
        assert_eq!(log.read_lines().expect("the log"), ["two"]);
    }

    #[test]
    fn a_log_that_was_removed_has_lost_its_lines() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let log = LineLog::at(dir.path().join("run/log.jsonl"));
        assert!(!log.has_lost_lines());
        log.append_line(b"{}").expect("it is written");
        assert!(!log.has_lost_lines());
        fs::remove_dir_all(dir.path().join("run")).expect("it is removed");
        assert!(log.has_lost_lines());
        // A line that follows is in a new file, which does not bring the old ones back.
        log.append_line(b"{}").expect("it is written");
        assert!(log.has_lost_lines());
    }

    #[test]
    fn two_lines_are_not_one_and_a_folder_is_no_log() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let log = LineLog::at(dir.path().join("l"));
        assert_eq!(log.append_line(b"a\nb").expect_err("two lines").kind(), io::ErrorKind::InvalidInput);
        assert!(log.read_lines().expect("the log is empty").is_empty());
        assert!(LineLog::at(dir.path().to_owned()).read_lines().is_err());
    }
}
