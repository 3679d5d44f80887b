//! What stands in other files: lists of tests, prompts, and what a text that begins with `file://` means.

use std::path::Path;

use arraign::__internals::yaml::{Document, Node};
use serde_json::Value;

use super::rows;
use crate::import::beside::{Beside, ends_in};
use crate::import::draft::documents;
use crate::import::lost::{list, text};

const YAML: &[&str] = &["yaml", "yml", "json", "jsonl"];
const CODE: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts", "py", "rb", "go"];
/// What promptfoo makes a text of in its own way.
const MEDIA: &[&str] = &[
    "pdf", "png", "jpg", "jpeg", "gif", "bmp", "webp", "svg", "mp3", "wav", "mp4", "webm", "mov", "xlsx",
    "xls", "docx",
];

/// The name of the file that a text means, if it means one.
pub(super) fn file_name(text: &str) -> Option<&str> {
    text.strip_prefix("file://")
}

/// The lists of tests in the files that `text` means, a path or a glob.
pub(super) fn tests(text: &str, beside: &Beside) -> Result<Vec<Document>, String> {
    let name = file_name(text).unwrap_or(text);
    if name.contains("://") {
        return Err("these tests are on a server: save them as a file".to_owned());
    }
    refuse_unreadable(name)?;
    let mut all = Vec::new();
    for path in beside.find(name)? {
        let source = beside.source(&path)?;
        if ends_in(&path, &["csv"]) {
            all.extend(rows::tests(&source)?);
        } else if ends_in(&path, YAML) {
            all.extend(documents(&source).map_err(|errors| errors.to_string())?);
        } else {
            return Err(format!("{} holds no tests that are known here", source.name()));
        }
    }
    Ok(all)
}

/// The one document of the file that `node` means, where it means one.
pub(super) fn document(node: Node<'_>, beside: &Beside) -> Result<Option<Document>, String> {
    let Some(name) = node.as_str().and_then(file_name) else { return Ok(None) };
    mapping(name, beside).map(Some)
}

/// The values of all the files that `node` names, one over the other.
pub(super) fn merged(node: Node<'_>, beside: &Beside) -> Result<serde_json::Map<String, Value>, String> {
    let mut all = serde_json::Map::new();
    for name in list(Some(node)).into_iter().map(|node| text(node).ok_or("it is a list of names of files")) {
        let name = name?;
        let Value::Object(values) = mapping(file_name(&name).unwrap_or(&name), beside)?.root().to_json()
        else {
            return Err(format!("`{name}` is no mapping"));
        };
        all.extend(values);
    }
    Ok(all)
}

fn mapping(name: &str, beside: &Beside) -> Result<Document, String> {
    let found = beside.find(name)?;
    let path = found.first().ok_or("there is no such file")?;
    let mut all = Document::parse(&beside.source(path)?).map_err(|errors| errors.to_string())?;
    if all.len() == 1 { Ok(all.remove(0)) } else { Err(format!("one document is expected in `{name}`")) }
}

/// What `text` stands for, which may begin with `file://`: several values where a glob matches several files.
pub(super) fn value(text: &str, beside: &Beside) -> Result<Value, String> {
    let Some(name) = file_name(text) else { return Ok(text.into()) };
    refuse_unreadable(name)?;
    let mut values = Vec::new();
    for path in beside.find(name)? {
        values.push(value_of(&path, beside)?);
    }
    Ok(if values.len() == 1 { values.remove(0) } else { values.into() })
}

fn value_of(path: &Path, beside: &Beside) -> Result<Value, String> {
    let source = beside.source(path)?;
    if !ends_in(path, YAML) {
        return Ok(source.text().trim_end_matches(['\r', '\n']).into());
    }
    let documents = documents(&source).map_err(|errors| errors.to_string())?;
    Ok(documents.first().map(|document| document.root().to_json()).unwrap_or_default())
}

/// The prompts in the files that `text` means: each text between two lines of `---` is one.
pub(super) fn prompts(text: &str, beside: &Beside) -> Result<Vec<String>, String> {
    let name = file_name(text).unwrap_or(text);
    refuse_unreadable(name)?;
    let mut all = Vec::new();
    for path in beside.find(name)? {
        if !ends_in(&path, &["txt", "md", "j2"]) {
            return Err(
                "only prompts that are plain text are read: give the cases their `input` by hand".to_owned()
            );
        }
        let source = beside.source(&path)?;
        let parts =
            if ends_in(&path, &["txt"]) { parts(source.text()) } else { vec![source.text().to_owned()] };
        all.extend(parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()));
    }
    Ok(all)
}

fn parts(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    lines.split(|line| line.trim() == "---").map(|part| part.join("\n")).collect()
}

fn refuse_unreadable(name: &str) -> Result<(), String> {
    // The name of a function may stand behind that of a file of code.
    let (file, _) = name.split_once(':').unwrap_or((name, ""));
    let (file, _) = file.split_once('#').unwrap_or((file, ""));
    if ends_in(Path::new(file), CODE) {
        return Err("it is code, which is not run here: write out what it gives".to_owned());
    }
    if ends_in(Path::new(file), MEDIA) {
        return Err("it is no text: only promptfoo reads it".to_owned());
    }
    Ok(())
}
