//! The files that an agent reads and writes through its client: those of its workspace, and no others.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::json::{Json, json};

/// The largest file that is read: 16 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Answers `fs/read_text_file`. The error is a message for the agent.
pub(super) fn read_text_file(workspace: &Path, params: &Json) -> Result<Json, String> {
    let path = find_inside(workspace, params)?;
    let shown = path.display();
    let metadata = fs::metadata(&path).map_err(|error| format!("{shown}: {error}"))?;
    // A pipe would never end.
    if !metadata.is_file() {
        return Err(format!("{shown} is not a file"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(format!("{shown} has more than {MAX_FILE_BYTES} bytes"));
    }
    let text = fs::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
    let count = |key: &str| {
        params.get(key).and_then(Json::as_u64).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    };
    let (line, limit) = (count("line"), count("limit"));
    let content = match (line, limit) {
        (None, None) => text,
        (line, limit) => {
            let skipped = line.unwrap_or(1).saturating_sub(1);
            text.split_inclusive('\n').skip(skipped).take(limit.unwrap_or(usize::MAX)).collect()
        }
    };
    Ok(json!({"content": content}))
}

/// Answers `fs/write_text_file`. The error is a message for the agent.
pub(super) fn write_text_file(workspace: &Path, params: &Json) -> Result<Json, String> {
    let path = find_inside(workspace, params)?;
    let content = params.get("content").and_then(Json::as_str).ok_or("no `content`")?;
    let shown = path.display();
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(format!("{shown} is not a file"));
    }
    let written =
        fs::create_dir_all(path.parent().unwrap_or(workspace)).and_then(|()| fs::write(&path, content));
    written.map_err(|error| format!("{shown}: {error}"))?;
    Ok(json!({}))
}

/// Returns the real path of the file that a request names. No link on the way may lead out of the workspace.
fn find_inside(workspace: &Path, params: &Json) -> Result<PathBuf, String> {
    let name = params.get("path").and_then(Json::as_str).ok_or("no `path`")?;
    let outside = || format!("{name} is outside of the session's folder");
    let path = Path::new(name);
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return Err(format!("{name} is not an absolute path without `..`"));
    }
    let root = workspace.canonicalize().map_err(|error| error.to_string())?;
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
            Err(error) => return Err(format!("{name}: {error}")),
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
