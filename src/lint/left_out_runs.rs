//! `left_out_runs`: there are more recorded runs than `repeat` asks for, and nobody reads the others.

use std::path::Path;

use super::LintRemark;
use crate::case::Case;
use crate::outcome::count_noun;
use crate::source::Files;
use crate::suite::CaseRuns;

pub(super) fn find_remark(case: &Case, path: &Path, files: &Files) -> Option<LintRemark> {
    let (wanted, place) = case.repeat.as_ref()?;
    // A case whose runs cannot be found is reported as one that is left out.
    let left_out = CaseRuns::find_runs(case, path, files).ok()?.count_left_out();
    (left_out > 0).then(|| LintRemark {
        lint: "left_out_runs",
        at: place.locate(),
        message: format!("`repeat: {wanted}` leaves out {}", count_noun(left_out, "recorded run")),
        help: "raise `repeat`, or remove the runs",
    })
}
