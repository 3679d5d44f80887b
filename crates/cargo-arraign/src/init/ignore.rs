//! Adds the folder of verdicts and reports to a `.gitignore`.

use std::fs;
use std::path::Path;

use arraign::__internals::source::find_repository;

/// The line for the `.gitignore` of a crate: everything that cargo builds.
const OF_CRATE: &str = "/target/";
/// The line for a project without a crate.
const OF_PROJECT: &str = "/target/arraign/";

/// Returns the new text of the `.gitignore` in `folder`, and the line that is added. `None` if git ignores `folder/target`
/// already.
pub(super) fn add_ignored_target(folder: &Path, is_crate: bool) -> Option<(String, &'static str)> {
    let own = fs::read_to_string(folder.join(".gitignore")).unwrap_or_default();
    let real = folder.canonicalize().ok()?;
    // Git reads the ignore files from the root of the repository down to the folder.
    let repository = find_repository(&real);
    let is_within = |above: &&Path| repository.is_some_and(|repository| above.starts_with(repository));
    let above = real.ancestors().skip(1).take_while(is_within);
    let is_ignored = own.lines().any(|line| ignores_target(line, true))
        || above
            .filter_map(|above| fs::read_to_string(above.join(".gitignore")).ok())
            .any(|text| text.lines().any(|line| ignores_target(line, false)));
    if is_ignored {
        return None;
    }
    let line = if is_crate { OF_CRATE } else { OF_PROJECT };
    let line_end = if own.is_empty() || own.ends_with('\n') { "" } else { "\n" };
    Some((format!("{own}{line_end}{line}\n"), line))
}

/// Whether a line of a `.gitignore` covers the verdicts in a folder `target` beside it, or, if it is not `beside`, in a folder
/// below.
fn ignores_target(line: &str, beside: bool) -> bool {
    let pattern = line.trim().trim_end_matches('/');
    match pattern.strip_prefix('/') {
        // A pattern with a slash at its beginning holds only in its own folder.
        Some(anchored) => beside && matches!(anchored, "target" | "target/arraign"),
        None => matches!(pattern, "target" | "**/target") || beside && pattern == "target/arraign",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_covers_the_folder_is_enough() {
        for line in ["target", "/target", "target/", " /target/arraign/ ", "**/target/"] {
            assert!(ignores_target(line, true), "{line}");
        }
        for line in ["/target", "target/arraign", "#target", "!target", "targets"] {
            assert!(!ignores_target(line, false), "{line}");
        }
    }
}
