//! `unused_policy`: a policy file that no case uses.

use std::path::Path;

use super::LintRemark;
use crate::place::Place;
use crate::source::Files;

/// The folder of policies.
const POLICY_FOLDER: &str = "policies";
const POLICY_EXTENSIONS: &[&str] = &["yaml", "yml", "json"];

/// Returns a remark for each policy that was not read, after all cases were.
pub(super) fn find_remarks(files: &Files) -> Vec<LintRemark> {
    let found = files.walk(files.root(), is_hidden).unwrap_or_default();
    let unused = found.iter().filter(|path| is_policy(path, files.root()) && !files.has_read(path));
    unused.map(|path| build_remark(&files.name(path))).collect()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn is_policy(path: &Path, root: &Path) -> bool {
    // The folder is looked for below the root alone: the root itself may lie in a folder of that name.
    let below = path.strip_prefix(root).unwrap_or(path).parent();
    let in_policy_folder = below.is_some_and(|folder| folder.iter().any(|part| part == POLICY_FOLDER));
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    in_policy_folder && POLICY_EXTENSIONS.contains(&&*extension)
}

fn build_remark(name: &str) -> LintRemark {
    LintRemark {
        lint: "unused_policy",
        at: Place::of_file(name).locate(),
        message: "no case uses this policy".to_owned(),
        help: "use it in a case, or delete it",
    }
}
