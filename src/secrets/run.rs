//! A run as outputs may show it as a whole.

use super::known::{KnownSecrets, SecretMasker};
use crate::trace::{Arguments, Call, Trace};

/// Returns `run` with all its secrets masked.
pub fn mask_run(mut run: Trace) -> Trace {
    let mut known = KnownSecrets::default();
    // All texts are searched first: a secret of one call may be repeated in the answer.
    known.add_run(&run);
    let masker = known.build_masker();
    let texts = [
        &mut run.answer,
        &mut run.answer_reasoning,
        &mut run.input,
        &mut run.stop_reason,
        &mut run.agent,
        &mut run.model,
        &mut run.id,
    ];
    texts.into_iter().flatten().for_each(|text| mask_in_place(text, &masker));
    for message in &mut run.messages {
        mask_in_place(&mut message.text, &masker);
        message.reasoning.iter_mut().for_each(|text| mask_in_place(text, &masker));
    }
    run.calls.iter_mut().for_each(|call| mask_call(call, &masker));
    run
}

fn mask_call(call: &mut Call, masker: &SecretMasker) {
    match &mut call.arguments {
        Arguments::Json(value) => *value = masker.mask_json(value.take()),
        Arguments::Broken { raw, error } => {
            mask_in_place(raw, masker);
            mask_in_place(error, masker);
        }
        Arguments::Unrecorded => {}
    }
    call.result = call.result.take().map(|result| masker.mask_json(result));
    let texts = [Some(&mut call.name), call.id.as_mut(), call.error.as_mut()];
    texts.into_iter().flatten().for_each(|text| mask_in_place(text, masker));
}

fn mask_in_place(text: &mut String, masker: &SecretMasker) {
    *text = masker.mask_text(std::mem::take(text));
}
