//! A verdict seen from another folder: the paths of two packages are told apart by those of their packages.

use super::Verdict;
use crate::place::Location;
use crate::suite::LIVE;

impl Verdict {
    /// Puts `folder` (with a `/` at its end) before every relative path.
    pub fn rebase(&mut self, folder: &str) {
        let moved = |file: &mut String| {
            if !is_absolute(file) && file != LIVE {
                file.insert_str(0, folder);
            }
        };
        self.visit_locations(&mut |at| moved(&mut at.file));
        self.runs.iter_mut().filter_map(|run| run.file.as_mut()).for_each(moved);
        let violations = self.findings.iter_mut().flat_map(|finding| &mut finding.violations);
        violations.filter_map(|violation| violation.policy.as_mut()).for_each(moved);
    }

    fn visit_locations(&mut self, visit: &mut impl FnMut(&mut Location)) {
        visit(&mut self.case);
        self.errors.iter_mut().for_each(|error| visit(&mut error.at));
        for finding in &mut self.findings {
            visit(&mut finding.at);
            for violation in &mut finding.violations {
                visit(&mut violation.at);
                violation.policy_at.iter_mut().for_each(&mut *visit);
            }
        }
    }
}

/// Whether a file's name is its whole path: on any system, since a verdict may be read on another one. Without a name
/// it is no path at all.
fn is_absolute(file: &str) -> bool {
    file.is_empty() || file.starts_with('/') || file.get(1..3) == Some(":/")
}
