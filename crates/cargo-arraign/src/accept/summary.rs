//! The summary of a run as the new baseline of a suite.

use std::fs;
use std::path::Path;

use arraign::__internals::verdict::summary::Summary;
use arraign::json::{self, Json};

/// Renders the baseline at `path` with the means of `summary`. Suites that only the old baseline contains are kept.
pub(super) fn render_baseline(summary: &Json, path: &Path) -> Result<String, String> {
    let now: Summary = json::from_json(summary.clone()).map_err(|error| error.to_string())?;
    let old = fs::read_to_string(path).ok().and_then(|text| json::from_str::<Summary>(&text).ok());
    let whole = match old {
        Some(old) if old.suites.len() > 1 => merge_suites(old, now),
        _ => now,
    };
    let text = json::to_string_pretty(&whole).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}

fn merge_suites(mut old: Summary, now: Summary) -> Summary {
    for suite in now.suites {
        match old.suites.iter_mut().find(|known| known.name == suite.name) {
            Some(known) => *known = suite,
            None => old.suites.push(suite),
        }
    }
    old
}
