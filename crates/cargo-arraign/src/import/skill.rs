//! Evals of a skill: the `evals.json` of the skill-creator.
//!
//! A model grades each eval, so the expectations become questions to a judge. Those that say one plain thing of a file or a command
//! become checks, and `files` are what the workspace begins with.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft, build_check};
use super::keys::{Keys, list_entries, read_scalar};
use super::pattern;
use super::question::build_run_question;
use super::source_dir::check_inside;
use super::statement::read_statement;
use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use arraign::json::{Json, json};

const TOOLS: &str = "carried as a rule about the tools of Claude Code: correct their names for another agent";

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "skill");
    for document in input.parse_documents()? {
        let root = document.root();
        let Some(mut file) = Keys::new(root).filter(|_| root.get("evals").is_some()) else {
            return Err(root.error("expected the `evals.json` of a skill, with `evals`").into());
        };
        if let Some(name) = file.take_text(&["skill_name"]) {
            draft.set_suite_key("suite", name);
        }
        for node in list_entries(file.take(&["evals"])) {
            import_eval(node, &mut draft);
        }
        file.reject_rest(&[], &mut draft.unsupported);
    }
    Ok(draft.finish())
}

fn import_eval(node: Node<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else {
        return draft.unsupported.add_key(node, "evals", "expected a mapping");
    };
    let asked = keys.take_text(&["prompt"]).unwrap_or_default();
    let name = keys.take_text(&["name", "eval_name"]);
    let number =
        keys.take_text(&["id"]).map(|id| if id.parse::<u64>().is_ok() { format!("eval_{id}") } else { id });
    let id = match name.or(number) {
        Some(id) => draft.ids.claim_id(&id),
        None => draft.ids.derive_id(&asked),
    };
    let mut case = CaseDraft::new(&id);
    let files = read_files(&list_entries(keys.take(&["files"])), &asked, draft);
    case.set("input", Some(asked).filter(|asked| !asked.is_empty()));
    let mut checks = Vec::new();
    if let Some(expected) = keys.take_text(&["expected_output"]).filter(|text| !text.is_empty()) {
        let prompt = format!("Does the run end like this? {expected}");
        checks.push(build_run_question("expected_output", &prompt));
    }
    // The questions are about the whole run, because an expectation can concern the calls.
    let expectations = list_entries(keys.take(&["expectations", "assertions"]));
    for (at, expectation) in expectations.into_iter().enumerate() {
        let label = format!("expectation {}", at + 1);
        if let Some(converted) = convert_expectation(expectation, &label, draft) {
            checks.extend(converted);
        } else {
            let why = "expected a text, or a mapping with `description` or `pattern`";
            draft.unsupported.add_key(expectation, "assertions", why);
        }
    }
    case.add_checks(checks);
    let fixture = if files.is_empty() { None } else { Some(draft.add_fixture(&id, files)) };
    match fixture {
        Some(Ok(from)) => case.set("workspace", Some(json!({"from": from}))),
        Some(Err(why)) => draft.unsupported.add(node.place(), "`files`", why),
        None if case.looks_at_files() => case.set("workspace", Some(json!({}))),
        None => {}
    }
    keys.reject_rest(&[], &mut draft.unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Reads the files of an eval. Their paths are relative to the folder of the skill, in which the file is `evals/evals.json`.
fn read_files(named: &[Node<'_>], asked: &str, draft: &mut SuiteDraft) -> BTreeMap<String, Vec<u8>> {
    let own_folder = draft.source_dir.folder_name().unwrap_or_default();
    let mut files = BTreeMap::new();
    for node in named {
        let Some(name) = node.as_str().map(|name| name.trim_start_matches("./")) else {
            draft.unsupported.add_key(*node, "files", "expected the path of a file");
            continue;
        };
        let below = name.strip_prefix(&format!("{own_folder}/"));
        // Where the file is not in the folder of a skill, the paths may be relative to its own folder.
        let found = below.map(|below| draft.source_dir.read_bytes(below)).filter(Result::is_ok);
        match found.unwrap_or_else(|| draft.source_dir.read_bytes(name)) {
            Ok(content) => match check_inside(&find_place(name, asked)) {
                Ok(place) => {
                    files.insert(place, content);
                }
                Err(why) => draft.unsupported.add_key(*node, name, why),
            },
            Err(why) => draft.unsupported.add_key(*node, name, why),
        }
    }
    files
}

/// Returns the path that a file has in the workspace: the one by which the prompt names it, or else its own.
fn find_place(name: &str, asked: &str) -> String {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_quote = |c: char| c.is_whitespace() || "`'\"()[]<>,;:".contains(c);
    let words = asked.split(is_quote).map(|word| word.trim_end_matches(['.', '?', '!']));
    let mut named = words.filter(|word| {
        let path = Path::new(word);
        path.file_name().is_some_and(|own| own.to_string_lossy() == file)
            && path.components().all(|part| matches!(part, Component::Normal(_)))
    });
    let is_plain = |name: &str| {
        Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    let own = if is_plain(name) { name } else { &file };
    named.next().unwrap_or(own).to_owned()
}

/// Converts an expectation: a text, or a mapping with the text and perhaps a pattern of the answer. What says a plain thing of a
/// file or a command needs no judge, as a pattern does not.
fn convert_expectation(node: Node<'_>, label: &str, draft: &mut SuiteDraft) -> Option<Vec<Json>> {
    if let Some(text) = read_scalar(node) {
        return Some(convert_statement(node, &text, label, draft));
    }
    let mut keys = Keys::new(node)?;
    let text = keys.take_text(&["description", "text", "assertion", "expectation"]);
    let pattern = keys.take_text(&["pattern", "regex"]);
    keys.skip(&["id", "name"]);
    keys.reject_rest(&[], &mut draft.unsupported);
    match (pattern, text) {
        (Some(pattern), _) => Some(vec![build_check("regex", pattern::build_settings(&pattern, ""))]),
        (None, text) => Some(convert_statement(node, &text?, label, draft)),
    }
}

fn convert_statement(node: Node<'_>, text: &str, label: &str, draft: &mut SuiteDraft) -> Vec<Json> {
    let Some(read) = read_statement(text) else {
        return vec![build_run_question(label, &format!("Is this true of the run? {text}"))];
    };
    if read.names_tools {
        draft.unsupported.add(node.place(), format!("`{text}`"), TOOLS);
    }
    read.checks
}
