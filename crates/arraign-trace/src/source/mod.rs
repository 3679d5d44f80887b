//! Opening files: inside given folders only, up to a limit of size.
//!
//! Every path that a user's file names goes through [`FileOpener::resolve`]. Nothing outside the folders is opened:
//! not by `..`, not by an absolute path, and not through a link.

mod encoding;
mod links;
mod near_file;
mod normal_path;
mod opened;
pub(crate) mod read_error;
mod temporary;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Read as _};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[doc(hidden)]
pub use links::open_regular;
pub use near_file::{NameDifference, NearFile};
pub use opened::Opened;
pub use read_error::{ReadError, ReadProblem};
#[doc(hidden)]
pub use temporary::{find_writer, is_temporary, temporary_path};

pub(crate) use self::encoding::decode;
use self::encoding::is_utf16;
use self::normal_path::{below, is_normal, normalise};
use self::read_error::problem_of;
use crate::place::{LoadError, Place, Source, Span};

/// The largest trace that is read unless the harness says otherwise: 64 MiB.
pub const DEFAULT_SIZE_LIMIT: u64 = 64 << 20;

/// The first bytes of a zip archive.
const ZIP: &[u8] = b"PK\x03\x04";

/// Opens the files of one package: knows the folder that their names begin at, the folders that may be read, and the
/// limit of a file's size.
#[derive(Debug)]
pub struct FileOpener {
    base: PathBuf,
    roots: Vec<PathBuf>,
    size_limit: u64,
    opened: AtomicUsize,
    /// The files that were opened, if they are logged.
    log: Option<Mutex<BTreeSet<PathBuf>>>,
    real_folders: Mutex<HashMap<PathBuf, bool>>,
}

impl FileOpener {
    /// Files under `root`, named relative to `base`.
    pub fn new(base: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        Self {
            base: base.into(),
            roots: vec![normalise(&root.into())],
            size_limit: DEFAULT_SIZE_LIMIT,
            opened: AtomicUsize::new(0),
            log: None,
            real_folders: Mutex::default(),
        }
    }

    /// Allows another folder in addition to the eval root.
    pub fn allow_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.roots.push(normalise(&root.into()));
        self
    }

    /// The largest file that is read, in bytes.
    pub fn with_size_limit(mut self, bytes: u64) -> Self {
        self.size_limit = bytes;
        self
    }

    /// Returns an opener of the same folders that logs which files it opens.
    pub fn logging(&self) -> Self {
        Self {
            base: self.base.clone(),
            roots: self.roots.clone(),
            size_limit: self.size_limit,
            opened: AtomicUsize::new(0),
            log: Some(Mutex::default()),
            real_folders: Mutex::default(),
        }
    }

    /// Returns the files that were opened since they are logged.
    pub fn list_opened(&self) -> Vec<PathBuf> {
        let Some(log) = &self.log else { return Vec::new() };
        log.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The largest file that is read, in bytes: of an archive, all that is unpacked.
    pub fn size_limit(&self) -> u64 {
        self.size_limit
    }

    /// The folder that the names of files begin at.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The eval root.
    pub fn root(&self) -> &Path {
        &self.roots[0]
    }

    /// Returns the number of files that have been opened so far.
    pub fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// The name of `path` for a user: relative to the base where it lies below it, with `/` between its parts.
    pub fn name(&self, path: &Path) -> String {
        let shown = below(path, &self.base).unwrap_or(path).to_string_lossy();
        // Elsewhere a `\` is a part of a name, and a name without it would be that of another file.
        if MAIN_SEPARATOR == '\\' { shown.replace('\\', "/") } else { shown.into_owned() }
    }

    /// The path that `text` means in a file of `folder`; it must stay inside a root.
    pub fn resolve(&self, folder: &Path, text: &str) -> Result<PathBuf, ReadError> {
        let joined = folder.join(text);
        // Most paths have no `.` or `..`, and need no copy.
        let path = if is_normal(text) { joined } else { normalise(&joined) };
        if self.roots.iter().any(|root| below(&path, root).is_some()) {
            return Ok(path);
        }
        Err(self.read_error(&path, self.outside()))
    }

    /// Calls `look` with the text of a file, and returns its result. The text is not kept: each thread reads one file
    /// after the other into the same buffer.
    pub fn read<T>(&self, path: &Path, look: impl FnOnce(&str) -> T) -> Result<T, ReadError> {
        self.open_file(path).and_then(|opened| self.read_opened(path, opened, look))
    }

    /// The same of a file that has no more than `most` bytes; `None` for one that has, which is not read.
    pub fn read_small<T>(
        &self,
        path: &Path,
        most: u64,
        look: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, ReadError> {
        let opened = self.open_file(path)?;
        if opened.1.len() > most {
            return Ok(None);
        }
        self.read_opened(path, opened, look).map(Some)
    }

    fn read_opened<T>(
        &self,
        path: &Path,
        opened: Opening,
        look: impl FnOnce(&str) -> T,
    ) -> Result<T, ReadError> {
        // The buffer of the thread is used again: most traces are small, and reading each into new memory costs more
        // than parsing it.
        let mut bytes = BUFFER.take();
        bytes.clear();
        let read = self.read_into(path, opened, &mut bytes).and_then(|()| {
            if bytes.starts_with(ZIP) {
                return Err(self.read_error(path, ReadProblem::Zipped));
            }
            let decoded = decode(&bytes, self.size_limit);
            if let Some(decoded) = decoded.map_err(|problem| self.read_error(path, problem))? {
                bytes = decoded;
            }
            let text = std::str::from_utf8(&bytes);
            text.map_err(|error| self.read_error(path, ReadProblem::NotUtf8(error.valid_up_to())))
        });
        let looked = read.map(look);
        // A large buffer is given back, so that one large file does not hold memory for the rest of the process.
        if bytes.capacity() <= KEPT_BUFFER {
            BUFFER.set(bytes);
        }
        looked
    }

    fn read_bytes(&self, path: &Path) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        self.read_into(path, self.open_file(path)?, &mut bytes).map(|()| bytes)
    }

    fn read_into(
        &self,
        path: &Path,
        (file, metadata): Opening,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        // One byte more, so that the end of the file is seen without another allocation.
        bytes.reserve(usize::try_from(metadata.len()).unwrap_or_default() + 1);
        // A file is read as long as it was when it was opened. The files of `/proc` have no length, and are read to the limit.
        let known = metadata.len() > 0;
        let most = if known { metadata.len() } else { self.size_limit + 1 };
        let read = file.take(most).read_to_end(bytes);
        let read = read.map_err(|error| self.read_error(path, problem_of(&error)))?;
        if read as u64 > self.size_limit {
            return Err(
                self.read_error(path, ReadProblem::TooLarge { size: read as u64, limit: self.size_limit })
            );
        }
        Ok(())
    }

    /// Opens a file that may be opened and is not too large.
    fn open_file(&self, path: &Path) -> Result<Opening, ReadError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        // The checks are of the opened file, and not of the path, which may lead elsewhere a moment later.
        let file = self.open_inside(path)?;
        let metadata = file.metadata().map_err(|error| self.read_error(path, problem_of(&error)))?;
        if !metadata.is_file() {
            let problem = if metadata.is_dir() { ReadProblem::Folder } else { ReadProblem::Irregular };
            return Err(self.read_error(path, problem));
        }
        if let Some(log) = &self.log {
            log.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        }
        if metadata.len() > self.size_limit {
            let problem = ReadProblem::TooLarge { size: metadata.len(), limit: self.size_limit };
            return Err(self.read_error(path, problem));
        }
        Ok((file, metadata))
    }

    /// A file that holds text of the user's, with a place for bytes that are not UTF-8.
    pub fn source(&self, path: &Path) -> Result<Arc<Source>, LoadError> {
        let name = self.name(path);
        let whole =
            |error: ReadError| LoadError::new(Place::of_file(name.clone()), error.problem.to_string());
        let bytes = self.read_bytes(path).map_err(whole)?;
        if is_utf16(&bytes) {
            let error = LoadError::new(Place::of_file(name), "this is UTF-16, not UTF-8");
            return Err(error.help(
                "save the file as UTF-8; in PowerShell: `(Get-Content FILE) | Set-Content -Encoding utf8 FILE`",
            ));
        }
        String::from_utf8(bytes).map(|text| Source::new(name.clone(), text)).map_err(|error| {
            let at = u32::try_from(error.utf8_error().valid_up_to()).unwrap_or_default();
            let source = Source::new(name.clone(), String::from_utf8_lossy(error.as_bytes()));
            LoadError::new(
                Place::new(&source, Span { start: at, end: at + 1 }),
                "this byte begins no UTF-8 character",
            )
            .help("save the file as UTF-8")
        })
    }

    /// The path that `text` means for a file that is to be written: inside a root, and not through a link that leads out.
    pub fn resolve_for_writing(&self, text: &Path) -> Result<PathBuf, ReadError> {
        let path = self.resolve(self.root(), &text.to_string_lossy())?;
        let folder = path.parent().unwrap_or(&path);
        // A link on the way to a folder that is yet to be made leads out as well.
        let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
        if !self.is_really_inside(existing) {
            return Err(self.read_error(&path, self.outside()));
        }
        self.refuse_links(&path)?;
        Ok(path)
    }

    /// The error of the operating system about the file at `path`.
    pub fn io_error(&self, path: &Path, error: &io::Error) -> ReadError {
        self.read_error(path, problem_of(error))
    }

    /// Whether something is there that may be opened.
    pub fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    /// Lists the entries of a folder by name; empty if it is not a folder. Files that were never completed are left out.
    pub fn list(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| !is_temporary(path)).collect();
        paths.sort();
        paths
    }

    /// All files below `folder`, by name; folders for which `skip` is true are not entered. Links are followed: what
    /// they lead to is refused when it is opened, if it lies outside. Files that were never completed are left out.
    pub fn walk(&self, folder: &Path, skip: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, ReadError> {
        let entries = walkdir::WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
        // The folder itself is always entered, even if its name is one that is skipped elsewhere.
        let mut files = Vec::new();
        for entry in entries.filter_entry(|entry| entry.depth() == 0 || !skip(entry.path())) {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(folder).to_owned();
                let problem = error.io_error().map_or(ReadProblem::Refused(error.to_string()), problem_of);
                self.read_error(&path, problem)
            })?;
            if !entry.file_type().is_dir() && !is_temporary(entry.path()) {
                files.push(entry.into_path());
            }
        }
        Ok(files)
    }

    fn outside(&self) -> ReadProblem {
        ReadProblem::Outside(self.name(self.root()))
    }

    /// Returns an error about the file at `path`, under the name that the user knows.
    pub fn read_error(&self, path: &Path, problem: ReadProblem) -> ReadError {
        ReadError { name: self.name(path), problem }
    }
}

/// A file that is open, and what is known of it.
type Opening = (fs::File, fs::Metadata);

/// The largest buffer that a thread keeps for the next file: a rare large trace is not held for ever.
const KEPT_BUFFER: usize = 1 << 20;

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    #[test]
    fn a_path_that_leaves_the_root_is_refused() {
        let dir = folder();
        let files = FileOpener::new(dir.path(), dir.path().join("evals"));
        let from = dir.path().join("evals/a");
        assert!(files.resolve(&from, "../policies/x.yaml").is_ok());
        for outside in ["../../secret", "/etc/passwd", "x/../../../secret"] {
            let error = files.resolve(&from, outside).expect_err(outside);
            assert!(matches!(error.problem, ReadProblem::Outside(_)), "{error}");
        }
    }

    #[test]
    fn a_root_may_be_named_with_dots() {
        let files = FileOpener::new("/w/crate", "/w/crate/../evals/.");
        let from = files.root().join("a");
        for inside in ["t.json", "../policies/x.yaml", "./b//t.json"] {
            assert!(files.resolve(&from, inside).is_ok(), "{inside}");
        }
        assert!(files.resolve(&from, "../../crate/src/lib.rs").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_root_is_refused_as_file_and_as_folder() {
        let dir = folder();
        let root = dir.path().join("evals");
        let secret = dir.path().join("secret");
        fs::create_dir_all(&root).expect("a folder");
        fs::create_dir_all(&secret).expect("a folder");
        fs::write(secret.join("key"), "k").expect("a file");
        std::os::unix::fs::symlink(secret.join("key"), root.join("file")).expect("a link");
        std::os::unix::fs::symlink(&secret, root.join("folder")).expect("a link");
        let files = FileOpener::new(dir.path(), &root);
        for path in ["file", "folder/key"] {
            let error = files.read(&root.join(path), str::len).expect_err(path);
            assert!(matches!(error.problem, ReadProblem::Outside(_)), "{error}");
        }
        let wider = FileOpener::new(dir.path(), &root).allow_root(&secret);
        assert_eq!(wider.read(&root.join("file"), str::to_owned).expect("an allowed root"), "k");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_and_a_device_are_refused_at_once() {
        let dir = folder();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", dir.path().join("zero")).expect("a link");
        let files = FileOpener::new(dir.path(), dir.path()).allow_root("/dev");
        for name in ["pipe", "zero"] {
            let path = dir.path().join(name);
            let error = files.read(&path, str::len).expect_err(name);
            assert_eq!(error.problem, ReadProblem::Irregular);
            assert!(files.open(&path).is_err() && files.source(&path).is_err(), "{name}");
        }
    }

    #[test]
    fn folders_large_files_and_strange_bytes_are_named() {
        let dir = folder();
        fs::create_dir(dir.path().join("folder")).expect("a folder");
        fs::write(dir.path().join("big"), "12345").expect("a file");
        fs::write(dir.path().join("latin"), b"a\n\xe9t\xe9").expect("a file");
        let files = FileOpener::new(dir.path(), dir.path()).with_size_limit(4);
        let problem = |name: &str| files.read(&dir.path().join(name), str::len).expect_err(name).problem;
        assert_eq!(problem("folder"), ReadProblem::Folder);
        assert_eq!(problem("big"), ReadProblem::TooLarge { size: 5, limit: 4 });
        assert_eq!(problem("gone"), ReadProblem::Missing);
        let files = FileOpener::new(dir.path(), dir.path());
        let error = files.source(&dir.path().join("latin")).expect_err("not UTF-8");
        assert_eq!(
            error.to_string(),
            "latin:2:1: this byte begins no UTF-8 character (help: save the file as UTF-8)"
        );
    }
}
