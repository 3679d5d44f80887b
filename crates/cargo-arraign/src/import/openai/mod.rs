//! OpenAI Evals: the registry's YAML with its samples, and evals of the hosted service with their graders.

mod grader;
mod registry;

use arraign::__internals::place::LoadErrors;

use super::draft::{ImportInput, ImportedFiles, SuiteDraft};
use super::keys::Keys;

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "openai");
    for document in input.parse_documents()? {
        let root = document.root();
        let Some(keys) = Keys::new(root) else {
            let help = "a file of samples is read by the eval that names it";
            return Err(root
                .error("expected an eval of OpenAI's registry or service")
                .help_if(Some(help.to_owned()))
                .into());
        };
        if root.get("testing_criteria").is_some() {
            grader::import_eval(keys, input, &mut draft);
        } else if registry::is_registry(root) {
            registry::import_entries(root, &mut draft);
        } else {
            return Err(root.error("expected entries with `class`, or `testing_criteria`").into());
        }
    }
    Ok(draft.finish())
}
