//! `metric:` one metric for each test, with its settings at the same level as the keys of the case.
//!
//! ```yaml
//! tests:
//!   - {id: no_destructive, metric: tool_blocklist, blocklist: [delete_customer, "admin_*"]}
//! ```

use super::{CaseNode, Vocabulary};
use crate::case::{Expectation, LoweredBlock};
use crate::place::{LoadErrors, Place};
use crate::yaml::{Node, nearest};

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "metric", unfold: |_, _| {}, lower, settings_beside: true, other_keys: &[] };

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let Some(name) = case.node.get("metric") else { return Ok(LoweredBlock::default()) };
    let wanted: String = name.decode()?;
    let Some(kind) = case.scope.kinds.find(&wanted) else {
        let error = name.error(format!("unknown metric `{wanted}`"));
        return Err(error.help(case.scope.kinds.help(&wanted)).into());
    };
    // The keys of the case are hidden, so that the rest are the settings of the metric.
    let hidden: Vec<&str> = case.common.iter().copied().filter(|key| !kind.case_keys.contains(key)).collect();
    let node = case.node.without(&hidden);
    Expectation::read(kind, name.place(), case.settings(""), node, case.scope)
        .map(|expectation| vec![expectation].into())
        .map_err(|errors| suggest_common_keys(node, errors, case.common))
}

/// Suggests keys of the case for unknown keys of the metric, because they may be misspelt.
fn suggest_common_keys(settings: Node<'_>, mut errors: LoadErrors, common: &[&str]) -> LoadErrors {
    for (key, _) in settings.entries().into_iter().flatten() {
        let place = Place::new(settings.source(), key.span);
        let Some(near) = nearest(&key.name, common.iter().copied()) else { continue };
        // The error is found by its place, as errors carry no key.
        for error in errors.iter_mut().filter(|error| error.place.span() == place.span()) {
            let has_suggestion = error.help.as_ref().is_some_and(|help| help.starts_with("did you mean"));
            if !has_suggestion {
                error.help = Some(format!("did you mean `{near}`?"));
            }
        }
    }
    errors
}
