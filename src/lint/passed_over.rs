//! `passed_over`: a file that looks like cases, and is in a folder that holds none, or is hidden.

use std::path::Path;

use super::LintRemark;
use crate::place::Place;
use crate::source::Files;
use crate::suite::{CASE_EXTENSIONS, is_support};
use crate::yaml::{Document, Node};

/// The largest file that is looked at: traces are often larger, and files of cases are not.
const MAX_BYTES: usize = 1 << 18;

/// Keys that only cases and suites have at their top.
const CASE_KEYS: [&str; 6] = ["cases", "eval", "expect", "expected_tools", "expected", "metric"];

/// Returns a remark for each such file below the eval root.
pub(super) fn find_remarks(files: &Files) -> Vec<LintRemark> {
    let root = files.root();
    let found = files.walk(root, is_hidden_folder).unwrap_or_default();
    let hidden = found.iter().filter(|path| {
        let below = path.strip_prefix(root).unwrap_or(path);
        has_extension(path) && below.ancestors().any(is_support)
    });
    let remarks = hidden.filter(|path| holds_cases(files, path)).map(|path| LintRemark {
        lint: "passed_over",
        at: Place::of_file(files.name(path)).locate(),
        message: "this looks like a file of cases, and is never run".to_owned(),
        help: "move it out of the folders of traces, policies, snapshots and other data; a file whose name begins with \
               a dot is hidden. If it is no case, list it in `.arraignignore`",
    });
    remarks.collect()
}

/// A hidden folder belongs to a tool. A hidden file of cases has the extension of one.
fn is_hidden_folder(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) && !has_extension(path)
}

fn has_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    CASE_EXTENSIONS.contains(&&*extension)
}

fn holds_cases(files: &Files, path: &Path) -> bool {
    let Ok(source) = files.source(path) else { return false };
    if source.text().len() > MAX_BYTES || !CASE_KEYS.iter().any(|key| source.text().contains(key)) {
        return false;
    }
    let documents = Document::parse(&source).unwrap_or_default();
    let mut roots = documents.iter().map(Document::root);
    roots.any(|root| is_case(root) || root.list().into_iter().flatten().any(is_case))
}

/// A trace may have one of the keys, but never without its steps.
fn is_case(node: Node<'_>) -> bool {
    let has = |key: &str| node.get(key).is_some();
    CASE_KEYS.into_iter().any(has) && !["steps", "calls", "messages", "spans", "records"].into_iter().any(has)
}
