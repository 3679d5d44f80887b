//! Paths of temporary folders as a user would write them.

use std::path::{Path, PathBuf};

/// Resolves links. On Windows the result has no `\\?\`, which nobody writes.
pub(crate) fn resolve_links(path: &Path) -> PathBuf {
    let real = path.canonicalize().expect("the path exists");
    let plain = real.to_string_lossy().strip_prefix(r"\\?\").map(PathBuf::from);
    plain.unwrap_or(real)
}

/// Returns the part of `path` below `root`, with slashes.
pub(crate) fn show_below(path: &Path, root: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
