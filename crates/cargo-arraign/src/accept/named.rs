//! The baselines that files of cases name.

use std::path::{Component, Path, PathBuf};

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::json::{self, Json};

use super::repository::Repository;

/// Whether one of `files`, which contain cases, names `path` as a baseline.
pub(super) fn is_named_in(files: &[PathBuf], path: &Path, repository: &Repository) -> bool {
    let named = files.iter().flat_map(|file| list_names(file, repository));
    // A name is relative to the file that it is in, or to the file of the case.
    let folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let mut candidates =
        named.flat_map(|name| folders.iter().map(|folder| folder.join(&name)).collect::<Vec<_>>());
    candidates.any(|candidate| matches_template(&normalize_path(&candidate), &normalize_path(path)))
}

fn list_names(file: &Path, repository: &Repository) -> Vec<String> {
    // A file that cannot be read names nothing, and the lint reports it.
    let Ok(text) = repository.read_text(file) else { return Vec::new() };
    let mut names = Vec::new();
    for value in parse_values(file, &text) {
        collect_names(&value, &mut names);
    }
    names
}

fn parse_values(file: &Path, text: &str) -> Vec<Json> {
    if file.extension().is_some_and(|extension| extension == "jsonl") {
        return text.lines().filter_map(|line| json::from_str(line).ok()).collect();
    }
    let documents = Document::parse(&Source::new(file.to_string_lossy(), text));
    documents.map(|documents| documents.iter().map(|one| one.root().to_json()).collect()).unwrap_or_default()
}

/// Collects the files under `baseline` and `summary_baseline`, at any depth.
fn collect_names(value: &Json, names: &mut Vec<String>) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                if matches!(key.as_str(), "baseline" | "summary_baseline") {
                    // Both keys are a file's name, or a mapping with the name under `file`.
                    let name = value.get("file").unwrap_or(value).as_str();
                    names.extend(name.map(str::to_owned));
                }
                collect_names(value, names);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Removes `.` and `..` from a path, by its text alone.
fn normalize_path(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()),
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts.join("/")
}

/// Whether `path` is `template`, in which `{id}` stands for a part of a file's name.
fn matches_template(template: &str, path: &str) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == path };
    let Some((_, after)) = rest.split_once('}') else { return template == path };
    let Some(path) = path.strip_prefix(before) else { return false };
    // `{id}` may stand for nothing, and never for a folder.
    let ends = path.char_indices().map(|(at, _)| at).chain([path.len()]);
    let mut filled = ends.take_while(|end| !path[..*end].contains('/'));
    filled.any(|end| matches_template(after, &path[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::json::json;

    #[test]
    fn a_template_stands_for_a_name_and_not_for_a_folder() {
        assert!(matches_template("a/{id}.json", "a/x.json") && matches_template("a/b.json", "a/b.json"));
        assert!(
            !matches_template("a/{id}.json", "a/b/c.json") && !matches_template("a/{id}.json", "a/x.yaml")
        );
        assert_eq!(normalize_path(Path::new("evals/./x/../traces/a.json")), "evals/traces/a.json");
    }

    #[test]
    fn names_are_found_in_cases_and_suites() {
        let mut names = Vec::new();
        let suite = json!({
            "summary_baseline": {"file": "b/s.json"},
            "tests": [{"baseline": "b/a.json"}, {"baseline": {"file": "b/c.json", "fail_on": []}}]
        });
        collect_names(&suite, &mut names);
        names.sort();
        assert_eq!(names, ["b/a.json", "b/c.json", "b/s.json"]);
    }
}
