//! Evals of a skill: the `evals.json` of the skill-creator.
//!
//! A model grades each eval, so the expectations become questions to a judge.

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, list_entries, read_scalar};
use super::question::build_run_question;
use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;

const OF_AN_EVAL: &[(&[&str], &str)] =
    &[(&["files"], "record the run in a `workspace` whose folder (`from`) has them")];

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
    case.set("input", Some(asked).filter(|asked| !asked.is_empty()));
    if let Some(expected) = keys.take_text(&["expected_output"]).filter(|text| !text.is_empty()) {
        let prompt = format!("Does the run end like this? {expected}");
        case.add_checks(vec![build_run_question("expected_output", &prompt)]);
    }
    // The questions are about the whole run, because an expectation can concern the calls.
    let expectations = list_entries(keys.take(&["expectations", "assertions"]));
    for (at, text) in expectations.into_iter().filter_map(read_scalar).enumerate() {
        let label = format!("expectation {}", at + 1);
        let prompt = format!("Is this true of the run? {text}");
        case.add_checks(vec![build_run_question(&label, &prompt)]);
    }
    keys.reject_rest(OF_AN_EVAL, &mut draft.unsupported);
    draft.add_case(node.place(), case.finish());
}
