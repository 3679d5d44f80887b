//! The open-source registry: entries with a `class` and its samples, rows with `input` and `ideal`.

use arraign::__internals::yaml::{Document, Node};
use arraign::json::{self, Json, json};

use crate::import::draft::{CaseDraft, SuiteDraft, build_check, parse_documents};
use crate::import::keys::{Keys, list_entries, read_scalar};

const OF_A_CLASS: &[(&[&str], &str)] = &[
    (
        &["max_tokens", "num_few_shot", "few_shot_jsonl", "temperature"],
        "a case does not say how to ask the model: it uses a recorded trace",
    ),
    (
        &["eval_type", "modelgraded_spec", "modelgraded_spec_args"],
        "a model grades the answer: ask a judge (`agent_check`)",
    ),
];

/// Whether a value of the file is an entry of the registry.
pub(super) fn is_registry(root: Node<'_>) -> bool {
    root.entries().into_iter().flatten().any(|(_, entry)| entry.get("class").is_some())
}

/// Imports the samples of each entry with a `class`. The other entries are names for these.
pub(super) fn import_entries(root: Node<'_>, draft: &mut SuiteDraft) {
    for (_, entry) in root.entries().into_iter().flatten() {
        let Some(class) = entry.get("class").and_then(Node::as_str) else { continue };
        // A class is written as a path in Python, with its module before a dot or a colon.
        let name = class.rsplit([':', '.']).next().unwrap_or(class);
        let Some(comparison) = Comparison::find(name) else {
            draft.unsupported.add_key(
                entry,
                name,
                "this class runs code or asks a model: write a check, or ask a judge",
            );
            continue;
        };
        let Some(mut arguments) = entry.get("args").and_then(Keys::new) else {
            draft.unsupported.add_key(entry, name, "missing `args`");
            continue;
        };
        let folds = arguments.take(&["ignore_case"]).map(Node::to_json) == Some(Json::Bool(true));
        if comparison == Comparison::Fuzzy {
            draft.unsupported.add_key(entry, name, FUZZY);
        }
        if let Some(samples) = arguments.take(&["samples_jsonl"]) {
            import_samples(samples, comparison, folds, draft);
        }
        arguments.reject_rest(OF_A_CLASS, &mut draft.unsupported);
    }
}

/// The remark on a comparison that is stricter than the class.
const FUZZY: &str = "carried as `contains`: an answer with other punctuation or articles than the ideal one, or a part of it, fails here";

/// How a class compares an answer with the ideal one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Begins,
    Includes,
    Fuzzy,
    Json,
}

impl Comparison {
    fn find(class: &str) -> Option<Self> {
        match class {
            "Match" => Some(Self::Begins),
            "Includes" => Some(Self::Includes),
            "FuzzyMatch" => Some(Self::Fuzzy),
            "JsonMatch" => Some(Self::Json),
            _ => None,
        }
    }

    /// Builds the check of one ideal answer.
    fn build_check(self, ideal: &str, folds: bool) -> Result<Json, &'static str> {
        match self {
            Self::Json => match json::parse(ideal) {
                Ok(ideal) if has_null(&ideal) => Err("an ideal answer with a null never matches"),
                Ok(ideal) => Ok(build_check("jsonpath", json!({"path": "$", "equals": ideal}))),
                Err(_) => Err("the ideal answer is no JSON"),
            },
            Self::Fuzzy if !has_word(ideal) => Err("the ideal answer has no word but articles"),
            _ if ideal.is_empty() => Err("every answer contains an empty text"),
            Self::Begins => Ok(build_text_check("starts_with", ideal, false)),
            Self::Includes => Ok(build_text_check("contains", ideal, folds)),
            Self::Fuzzy => Ok(build_text_check("contains", ideal, true)),
        }
    }
}

/// Letter case counts in OpenAI Evals, unless the class folds it.
fn build_text_check(check: &str, value: &str, folds: bool) -> Json {
    let settings =
        if folds { json!({"value": value}) } else { json!({"value": value, "case_sensitive": true}) };
    build_check(check, settings)
}

fn has_null(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(list) => list.iter().any(has_null),
        Json::Object(entries) => entries.values().any(has_null),
        _ => false,
    }
}

/// Whether a text has a word that the fuzzy comparison does not drop.
fn has_word(text: &str) -> bool {
    let words = text
        .split_whitespace()
        .map(|word| word.replace(|c: char| c.is_ascii_punctuation(), "").to_lowercase());
    words.into_iter().any(|word| !["", "a", "an", "the"].contains(&word.as_str()))
}

fn import_samples(node: Node<'_>, comparison: Comparison, folds: bool, draft: &mut SuiteDraft) {
    let name = node.as_str().unwrap_or_default();
    match read_samples(name, draft) {
        Ok(documents) => {
            for row in documents.iter().flat_map(|document| list_entries(Some(document.root()))) {
                import_sample(row, comparison, folds, draft);
            }
        }
        Err(why) => draft.unsupported.add_key(node, "samples_jsonl", format!("`{name}`: {why}")),
    }
}

/// Reads the samples: at the path as written, below `data`, or beside the imported file under their own name.
fn read_samples(name: &str, draft: &SuiteDraft) -> Result<Vec<Document>, String> {
    let last = name.rsplit('/').next().unwrap_or(name);
    let places = [name.to_owned(), format!("data/{name}"), last.to_owned()];
    let found = places.iter().find_map(|place| draft.source_dir.find_files(place).ok()?.into_iter().next());
    let path = found.ok_or("no such file: copy the samples to the folder of the imported file")?;
    parse_documents(&draft.source_dir.read_source(&path)?).map_err(|errors| errors.to_string())
}

fn import_sample(row: Node<'_>, comparison: Comparison, folds: bool, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(row) else {
        return draft.unsupported.add_key(row, "samples", "expected a mapping with `input` and `ideal`");
    };
    let asked = keys.take(&["input"]).and_then(read_question).unwrap_or_default();
    let id = draft.ids.derive_id(&asked);
    let mut case = CaseDraft::new(&id);
    case.set("input", Some(asked).filter(|asked| !asked.is_empty()));
    let ideals =
        list_entries(keys.take(&["ideal"])).into_iter().map(|node| read_scalar(node).unwrap_or_default());
    let checks: Result<Vec<Json>, _> = ideals.map(|ideal| comparison.build_check(&ideal, folds)).collect();
    match checks {
        // The registry accepts any of the ideal answers.
        Ok(checks) if checks.len() > 1 => case.add_checks(vec![build_check("any_of", checks)]),
        Ok(checks) => case.add_checks(checks),
        Err(why) => draft.unsupported.add_key(row, "ideal", why),
    }
    keys.reject_rest(&[(&["metadata"], "a case has no labels other than `tags`")], &mut draft.unsupported);
    draft.add_case(row.place(), case.finish());
}

/// Returns the prompt: a text, or the last message of the user.
fn read_question(node: Node<'_>) -> Option<String> {
    if let Some(text) = read_scalar(node) {
        return Some(text);
    }
    let messages = node.one_or_many();
    let asked =
        // The last message of the user is what the model answers.
        messages.iter().rev().find(|message| message.get("role").and_then(Node::as_str) == Some("user"));
    asked.or(messages.last())?.get("content").and_then(read_scalar)
}
