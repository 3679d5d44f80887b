//! The files that a call of an editor writes and a call of a reader shows: the paths and texts among its arguments.

use std::sync::LazyLock;

use crate::json::Json;
use crate::pattern::{WordList, list_words};

use super::patch::{added, files, is_patch, replacements};
use crate::trace::{Arguments, Call};

/// Names of arguments in lower case, without `_` and `-`.
static PATHS: WordList = LazyLock::new(|| list_words(include_str!("data/arguments_path.txt")));
static TEXTS: WordList = LazyLock::new(|| list_words(include_str!("data/arguments_text.txt")));

/// The longest text that is taken for a path.
const MAX_PATH: usize = 1000;

/// A file that a call writes, and its new text if the call contains it.
pub(super) type Edit = (String, Option<String>);

/// Lists the files that a call of an editor writes.
pub(super) fn edits(call: &Call) -> Vec<Edit> {
    let value = match &call.arguments {
        Arguments::Json(value) => value,
        Arguments::Broken { raw, .. } => return list_patched(raw),
        Arguments::Unrecorded => return Vec::new(),
    };
    // A patch names its files itself, so the fields around it are not searched.
    if let Some(patch) = find_patch(value) {
        return list_patched(patch);
    }
    let mut found = Vec::new();
    gather_edits(value, None, 0, &mut found);
    found
}

fn list_patched(patch: &str) -> Vec<Edit> {
    files(patch).into_iter().map(|file| (file.path, Some(file.added))).collect()
}

/// Finds a patch that names its files among the arguments.
fn find_patch(value: &Json) -> Option<&str> {
    match value {
        Json::String(text) => Some(text.as_str()).filter(|text| is_patch(text)),
        Json::Object(fields) => {
            let texts = fields.iter().filter(|(name, _)| {
                ["input", "patch", "diff", "patchtext"].contains(&fold_name(name).as_str())
            });
            texts.filter_map(|(_, value)| value.as_str()).find(|text| is_patch(text))
        }
        _ => None,
    }
}

/// Collects the edits of an object. An object with a path edits that path; lists inside may contain further edits, of the
/// same path or of others.
fn gather_edits(value: &Json, outer: Option<&str>, depth: usize, found: &mut Vec<Edit>) {
    let Json::Object(fields) = value else { return };
    let path =
        find_field(value, &PATHS).and_then(Json::as_str).filter(|path| path.len() <= MAX_PATH).or(outer);
    // Editors differ in how they nest paths and texts. An inner object without a path belongs to the path around it,
    // and the outer one counts itself only if it has a text or contains no edit.
    let text = new_text(value);
    let before = found.len();
    for (name, inner) in fields.iter().filter(|_| depth < 2) {
        match inner {
            Json::Array(entries) => {
                for entry in entries {
                    gather_edits(entry, path, depth + 1, found);
                }
            }
            Json::Object(changes) if name == "changes" => {
                found.extend(changes.iter().map(|(path, change)| (path.to_string(), changed_text(change))));
            }
            _ => {}
        }
    }
    if let Some(path) = path.filter(|_| text.is_some() || found.len() == before) {
        found.push((path.to_owned(), text));
    }
}

/// `{"type": "add", "content": ...}`, `{"add": {"content": ...}}`, `{"update": {"unified_diff": ...}}`.
fn changed_text(change: &Json) -> Option<String> {
    let change = change.get("add").or_else(|| change.get("update")).unwrap_or(change);
    let content = change.get("content").and_then(Json::as_str).map(str::to_owned);
    content.or_else(|| change.get("unified_diff").and_then(Json::as_str).map(added))
}

fn new_text(value: &Json) -> Option<String> {
    let diff = value.get("diff").and_then(Json::as_str).and_then(replacements);
    diff.or_else(|| {
        let text = find_field(value, &TEXTS)?;
        match text {
            Json::String(text) => Some(text.to_string()),
            Json::Array(lines) => Some(lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n")),
            _ => None,
        }
    })
}

/// Lists the paths that a call of a reader shows.
pub(super) fn paths(call: &Call) -> Vec<String> {
    let Some(value) = call.arguments.json() else { return Vec::new() };
    let mut found = Vec::new();
    collect_paths(value, 0, &mut found);
    found
}

fn collect_paths(value: &Json, depth: usize, found: &mut Vec<String>) {
    let Some(fields) = value.as_object() else { return };
    for (name, value) in fields {
        let is_path = PATHS.contains(&fold_name(name).as_str());
        match value {
            Json::String(path) if is_path => found.push(path.to_string()),
            Json::Array(entries) => {
                let paths = entries.iter().filter(|_| is_path).filter_map(Json::as_str);
                found.extend(paths.map(str::to_owned));
                // The depth is limited: editors name their files near the top of the arguments.
                entries.iter().filter(|_| depth < 2).for_each(|entry| collect_paths(entry, depth + 1, found));
            }
            _ => {}
        }
    }
}

/// Returns the shell line that a call runs. A list of words is joined: `["bash", "-lc", "ls"]`.
pub(super) fn shell_line(call: &Call) -> Option<String> {
    const NAMES: &[&str] = &["command", "cmd", "commands", "commandline", "script", "input", "shellcommand"];
    let value = call.arguments.json()?;
    // Some tools take the line itself as their arguments.
    let line = if value.is_string() { value } else { find_field(value, NAMES)? };
    match line {
        Json::String(line) => Some(line.to_string()),
        Json::Array(words) => {
            Some(words.iter().filter_map(Json::as_str).map(quote_word).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

fn quote_word(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Returns the folder in which a shell call runs, or an empty text.
pub(super) fn folder(call: &Call) -> &str {
    let value = call.arguments.json();
    let folder = value
        .and_then(|value| find_field(value, &["workdir", "cwd", "workingdirectory", "directory", "dirpath"]));
    folder.and_then(Json::as_str).unwrap_or_default()
}

/// Whether a call of an editor with several commands (`view`, `create`, `str_replace`) only shows a file.
pub(super) fn only_views(call: &Call) -> bool {
    let command = call.arguments.get("command").and_then(Json::as_str);
    matches!(command, Some("view" | "read" | "open" | "cat" | "show"))
}

fn find_field<'v>(value: &'v Json, names: &[&str]) -> Option<&'v Json> {
    let fields = value.as_object()?;
    names
        .iter()
        .find_map(|wanted| fields.iter().find(|(name, _)| fold_name(name) == *wanted).map(|(_, value)| value))
}

fn fold_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn one(path: &str, text: Option<&str>) -> Edit {
        (path.to_owned(), text.map(str::to_owned))
    }

    fn of(arguments: Json) -> Vec<Edit> {
        edits(&Call::new("Edit", Arguments::Json(arguments), 1))
    }

    #[test]
    fn edits_are_found_in_many_shapes() {
        assert_eq!(
            of(json!({"file_path": "a", "old_string": "x", "new_string": "y"})),
            [one("a", Some("y"))]
        );
        assert_eq!(
            of(json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}]})),
            [one("a", Some("y"))]
        );
        assert_eq!(
            of(json!({"edits": [{"filePath": "a", "newString": "1"}, {"filePath": "b", "newString": "2"}]})),
            [one("a", Some("1")), one("b", Some("2"))]
        );
        assert_eq!(
            of(json!({"changes": {"a.rs": {"type": "add", "content": "x"}}})),
            [one("a.rs", Some("x"))]
        );
        assert_eq!(
            of(json!({"changes": {"a.rs": {"update": {"unified_diff": "@@ -1 +1 @@\n-x\n+y\n"}}}})),
            [one("a.rs", Some("y\n"))]
        );
        assert_eq!(of(json!({"changes": [{"path": "a.rs", "kind": "update"}]})), [one("a.rs", None)]);
        assert_eq!(
            of(json!({"input": "*** Begin Patch\n*** Update File: a\n+y\n*** End Patch"})),
            [one("a", Some("y\n"))]
        );
        assert_eq!(of(json!({"notebook_path": "n.ipynb", "new_source": "y"})), [one("n.ipynb", Some("y"))]);
    }

    #[test]
    fn a_list_of_words_is_a_line() {
        let call = Call::new("shell", Arguments::Json(json!({"command": ["bash", "-lc", "it's"]})), 1);
        assert_eq!(shell_line(&call).as_deref(), Some(r"'bash' '-lc' 'it'\''s'"));
    }
}
