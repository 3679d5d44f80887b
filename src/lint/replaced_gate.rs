//! `replaced_gate`: a case has its own value for a gate of its suite's defaults, so the gate of the suite does not hold for it.
//! `defaults_dropped`: a case says `inherit: false`.

use super::LintRemark;
use crate::case::Case;

pub(super) fn find_remarks(case: &Case) -> Vec<LintRemark> {
    let replaced = case.replaced_gates.iter().map(|(place, key)| LintRemark {
        lint: "replaced_gate",
        at: place.locate(),
        message: format!(
            "`{key}` of the suite's defaults does not hold here: the case has its own value, or none"
        ),
        help: "repeat the part of the defaults that should hold, or move it to a list that cases add to",
    });
    let dropped = (!case.inherits).then(|| LintRemark {
        lint: "defaults_dropped",
        at: case.place.locate(),
        message: "the case takes nothing from the defaults of its suite: `inherit: false`".to_owned(),
        help: "make sure that the case needs none of the suite's gates",
    });
    replaced.chain(dropped).collect()
}
