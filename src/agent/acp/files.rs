//! The files that an agent reads and writes through its client: those of its workspace, and no others.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::json::{Json, json};

/// The largest file that is read: 16 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Why a file is not served. The message is for the agent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileRefusal {
    /// The request lacks a part.
    #[error("no `{0}`")]
    MissingPart(&'static str),
    /// The path is relative, or leads upwards.
    #[error("{0} is not an absolute path without `..`")]
    NotAbsolute(String),
    /// The path leads out of the workspace.
    #[error("{0} is outside of the session's folder")]
    Outside(String),
    /// There is a folder, a pipe or a device.
    #[error("{0} is not a file")]
    NoFile(String),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{0} has more than {MAX_FILE_BYTES} bytes")]
    TooLarge(String),
    /// The system refuses.
    #[error("{path}: {problem}")]
    System {
        /// The path.
        path: String,
        /// The system's words.
        problem: String,
    },
}

impl FileRefusal {
    fn at(path: impl ToString) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { path: path.to_string(), problem: error.to_string() }
    }
}

/// Answers `fs/read_text_file`.
pub(super) fn read_text_file(workspace: &Path, params: &Json) -> Result<Json, FileRefusal> {
    let path = find_inside(workspace, params)?;
    let shown = path.display().to_string();
    let metadata = fs::metadata(&path).map_err(FileRefusal::at(&shown))?;
    // A pipe would never end.
    if !metadata.is_file() {
        return Err(FileRefusal::NoFile(shown));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(FileRefusal::TooLarge(shown));
    }
    let text = fs::read_to_string(&path).map_err(FileRefusal::at(&shown))?;
    let count = |key: &str| {
        params.get(key).and_then(Json::as_u64).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    };
    let skipped = count("line").unwrap_or(1).saturating_sub(1);
    let limit = count("limit").unwrap_or(usize::MAX);
    let content: String = text.split_inclusive('\n').skip(skipped).take(limit).collect();
    Ok(json!({"content": content}))
}

/// Answers `fs/write_text_file`.
pub(super) fn write_text_file(workspace: &Path, params: &Json) -> Result<Json, FileRefusal> {
    let path = find_inside(workspace, params)?;
    let content = params.get("content").and_then(Json::as_str).ok_or(FileRefusal::MissingPart("content"))?;
    let shown = path.display().to_string();
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(FileRefusal::NoFile(shown));
    }
    let written =
        fs::create_dir_all(path.parent().unwrap_or(workspace)).and_then(|()| fs::write(&path, content));
    written.map_err(FileRefusal::at(shown))?;
    Ok(json!({}))
}

/// Returns the real path of the file that a request names. No link on the way may lead out of the workspace.
fn find_inside(workspace: &Path, params: &Json) -> Result<PathBuf, FileRefusal> {
    let name = params.get("path").and_then(Json::as_str).ok_or(FileRefusal::MissingPart("path"))?;
    let outside = || FileRefusal::Outside(name.to_owned());
    let path = Path::new(name);
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return Err(FileRefusal::NotAbsolute(name.to_owned()));
    }
    let root = workspace.canonicalize().map_err(FileRefusal::at(name))?;
    // A new file has no real path yet: the folder above it that exists has one.
    let mut existing = path;
    let mut missing = Vec::new();
    let real = loop {
        match existing.canonicalize() {
            Ok(real) => break real,
            // A link that leads to nothing would be followed when the file is written.
            Err(error) if error.kind() == io::ErrorKind::NotFound && existing.symlink_metadata().is_err() => {
                missing.push(existing.file_name().ok_or_else(outside)?);
                existing = existing.parent().ok_or_else(outside)?;
            }
            Err(error) => return Err(FileRefusal::at(name)(error)),
        }
    };
    if !real.starts_with(&root) {
        return Err(outside());
    }
    Ok(missing.into_iter().rev().fold(real, |path, part| path.join(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_files_of_the_workspace_are_served() {
        let folder = tempfile::tempdir().expect("a folder");
        let workspace = folder.path().join("workspace");
        fs::create_dir(&workspace).expect("a folder");
        fs::write(folder.path().join("secret"), "secret").expect("a file");
        fs::write(workspace.join("a"), "1\n2\n3\n").expect("a file");
        std::os::unix::fs::symlink(folder.path(), workspace.join("up")).expect("a link");
        std::os::unix::fs::symlink(folder.path().join("new"), workspace.join("dangling")).expect("a link");
        let at = |name: &str| workspace.join(name).to_string_lossy().into_owned();
        let read = |path: &str| read_text_file(&workspace, &json!({"path": path}));
        let write = |path: &str| write_text_file(&workspace, &json!({"path": path, "content": "x"}));
        let outside = folder.path().join("secret").to_string_lossy().into_owned();
        for path in [at("up/secret"), outside, at("../secret"), "a".to_owned(), at("up/new"), at("dangling")]
        {
            assert!(read(&path).is_err(), "{path} was read");
            assert!(write(&path).is_err(), "{path} was written");
        }
        assert_eq!(fs::read_to_string(folder.path().join("secret")).expect("a file"), "secret");
        assert!(!folder.path().join("new").exists());
        write(&at("deep/er/b")).expect("a new file");
        assert_eq!(read(&at("deep/er/b")), Ok(json!({"content": "x"})));
        let part = json!({"path": at("a"), "line": 2, "limit": 1});
        assert_eq!(read_text_file(&workspace, &part), Ok(json!({"content": "2\n"})));
    }
}
