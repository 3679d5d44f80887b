//! Paths compared and cleaned by their text alone: nothing is asked of the file system.

use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// Returns the part of `path` below `folder`. If one text begins with the other, the paths are not split into
/// components.
pub(super) fn below<'p>(path: &'p Path, folder: &Path) -> Option<&'p Path> {
    let text = path.to_str().zip(folder.to_str());
    let rest = text.and_then(|(path, folder)| path.strip_prefix(folder)?.strip_prefix(MAIN_SEPARATOR));
    let rest = rest.filter(|rest| !rest.starts_with(MAIN_SEPARATOR));
    rest.map(Path::new).or_else(|| path.strip_prefix(folder).ok())
}

/// Whether there is nothing in a path below a folder that [`normalise`] takes out. Nearly always: and then nothing
/// needs to be taken apart and put together again.
pub(super) fn is_normal(below: &str) -> bool {
    !below.contains('\\') && below.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The path without `.` and `..`, by its text alone.
pub(super) fn normalise(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
