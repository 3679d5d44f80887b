//! The files that a patch writes, and what it puts into them: `apply_patch`'s form, unified diffs, search-and-replace
//! blocks.

/// Whether `text` looks like a patch that names its files.
pub(super) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains("*** Update File:")
        || text.contains("\n+++ ")
        || text.starts_with("+++ ")
}

/// A file that is written, and its new lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patched {
    /// The path.
    pub(super) path: String,
    /// The lines that were added.
    pub(super) added: String,
}

/// The files that `patch` writes. Deleted ones cannot be read back and are left out.
pub(super) fn files(patch: &str) -> Vec<Patched> {
    let mut files: Vec<Patched> = Vec::new();
    // Only lines between the heading of a file and the next heading are its content. A deleted file has a heading and
    // no content.
    let mut is_open = false;
    for line in patch.lines() {
        if let Some(path) = find_opened(line) {
            is_open = !path.is_empty();
            if is_open {
                files.push(Patched { path: path.to_owned(), added: String::new() });
            }
        } else if let (Some(path), Some(file)) = (line.strip_prefix("*** Move to: "), files.last_mut()) {
            path.trim().clone_into(&mut file.path);
        } else if let (true, Some(added), Some(file)) = (is_open, line.strip_prefix('+'), files.last_mut()) {
            file.added.push_str(added);
            file.added.push('\n');
        }
    }
    files
}

/// The path of the file that a line opens; empty for one that is deleted.
fn find_opened(line: &str) -> Option<&str> {
    if line.starts_with("*** Delete File: ") {
        return Some("");
    }
    let named = line.strip_prefix("*** Update File: ").or_else(|| line.strip_prefix("*** Add File: "));
    let path = named.or_else(|| line.strip_prefix("+++ "))?;
    let path = path.split('\t').next().unwrap_or(path).trim();
    match path {
        "/dev/null" => Some(""),
        // Unified diffs put `b/` before the path that they write. The headings of `apply_patch` do not.
        path => Some(path.strip_prefix("b/").filter(|_| named.is_none()).unwrap_or(path)),
    }
}

/// The lines that a difference of one file puts in.
pub(super) fn added(diff: &str) -> String {
    let lines =
        diff.lines().filter(|line| !line.starts_with("+++ ")).filter_map(|line| line.strip_prefix('+'));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Returns the new text of search-and-replace blocks: the lines between `=======` and `>>>>>>>`.
pub(super) fn replacements(text: &str) -> Option<String> {
    if !text.contains("=======") {
        return None;
    }
    let mut added = String::new();
    let mut is_new = false;
    for line in text.lines() {
        if line.starts_with("=======") {
            is_new = true;
        } else if line.starts_with(">>>>>>>") || line.starts_with("+++++++") {
            // Some editors end the block with plus signs.
            is_new = false;
        } else if is_new {
            added.push_str(line);
            added.push('\n');
        }
    }
    Some(added)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(path: &str, added: &str) -> Patched {
        Patched { path: path.to_owned(), added: added.to_owned() }
    }

    #[test]
    fn each_file_of_a_patch_is_named() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-old\n+new\n*** Add File: b.rs\n+x\n*** Delete File: c.rs\n*** End Patch";
        assert_eq!(files(patch), [patched("src/a.rs", "new\n"), patched("b.rs", "x\n")]);
        let diff =
            "--- a/src/a.rs\t2026\n+++ b/src/a.rs\t2026\n@@ -1 +1 @@\n-old\n+new\n--- a/x\n+++ /dev/null\n";
        assert_eq!(files(diff), [patched("src/a.rs", "new\n")]);
        assert_eq!(replacements("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE").as_deref(), Some("b\n"));
    }
}
