//! `unused_column`: the rows of a case have a column that the case does not use.

use super::{LintRemark, quote_names};
use crate::case::Case;

/// Returns a remark for the first row of a case. The others would repeat it.
pub(super) fn find_remark(case: &Case) -> Option<LintRemark> {
    let (place, columns) = case.row.as_ref()?.unused.as_ref()?;
    Some(LintRemark {
        lint: "unused_column",
        at: place.locate(),
        message: format!("no placeholder of the case uses {}", quote_names(columns)),
        help: "write `{{column}}` where the value belongs, or remove the column",
    })
}
