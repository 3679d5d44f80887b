//! A changed snapshot written as insta writes it, without what insta prints.
//!
//! insta draws its diff on standard output, where a stream of JSON events (JetBrains, the test explorer of
//! rust-analyzer) takes nothing else. `cargo insta review` and `accept` find what is written here all the same.

use std::env;
use std::fs;
use std::io;
use std::path::Path;

use super::settings::is_ci;
use super::snapshot::SnapshotFile;
use crate::source::write_whole;

/// What a snapshot says of where it is from.
pub(super) struct Origin<'o> {
    /// The case's file, relative to the workspace.
    pub(super) source: &'o Path,
    /// The line of the case.
    pub(super) line: usize,
    /// What is pinned.
    pub(super) description: &'o str,
}

/// Where a changed snapshot goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Update {
    /// Over the old one.
    InPlace,
    /// Beside it, or where `INSTA_PENDING_DIR` says, to be reviewed.
    Beside,
    Nowhere,
}

/// Writes `content` where `INSTA_UPDATE` says, to `folder` where it is pending; true where `INSTA_FORCE_PASS` lets the
/// change pass.
pub(super) fn keep(
    file: &SnapshotFile,
    folder: &Path,
    content: &str,
    origin: &Origin<'_>,
) -> io::Result<bool> {
    let path = file.path();
    let asked = env::var("INSTA_UPDATE").unwrap_or_default();
    let update = update(&asked, path.exists(), is_ci());
    if update != Update::Nowhere {
        let target = if update == Update::Beside { folder.join(file.pending_name()) } else { path };
        fs::create_dir_all(target.parent().unwrap_or(&target))?;
        write_whole(&target, text(content, origin, update).as_bytes())?;
    }
    Ok(env::var("INSTA_FORCE_PASS").is_ok_and(|value| value == "1"))
}

fn update(asked: &str, exists: bool, ci: bool) -> Update {
    match asked {
        "always" | "force" | "1" => Update::InPlace,
        "unseen" if !exists => Update::InPlace,
        "new" | "unseen" => Update::Beside,
        "no" => Update::Nowhere,
        _ if ci => Update::Nowhere,
        _ => Update::Beside,
    }
}

/// A text in quotes is YAML as it is JSON.
fn text(content: &str, origin: &Origin<'_>, update: Update) -> String {
    let source = serde_json::Value::from(origin.source.to_string_lossy());
    let description = serde_json::Value::from(origin.description);
    let line = match update {
        Update::Beside => format!("assertion_line: {}\n", origin.line),
        _ => String::new(),
    };
    let content = content.trim_end();
    format!("---\nsource: {source}\n{line}description: {description}\ninput_file: {source}\n---\n{content}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_go_where_insta_puts_them() {
        assert_eq!(update("", true, false), Update::Beside);
        assert_eq!(update("auto", false, true), Update::Nowhere);
        assert_eq!(update("unseen", false, true), Update::InPlace);
        assert_eq!(update("unseen", true, false), Update::Beside);
        assert_eq!(update("no", false, false), Update::Nowhere);
        assert_eq!(update("force", true, true), Update::InPlace);
    }
}
