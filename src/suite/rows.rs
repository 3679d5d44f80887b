//! Rows of values that make several cases of one: `cases: rows.csv` or `rows.jsonl`, or `each:` with the rows in the case.

mod expand;
mod fill;
mod table;

pub(super) use expand::RowExpander;

use crate::place::LoadErrors;

/// Says beside each mistake of a case in which row it is.
pub(super) fn note_row(mut errors: LoadErrors, row: &crate::case::CaseRow) -> LoadErrors {
    for error in &mut errors {
        let note = format!("in the row `{}`: {}", row.key, row.place);
        error.help = Some(match error.help.take() {
            Some(help) => format!("{help} ({note})"),
            None => note,
        });
    }
    errors
}
