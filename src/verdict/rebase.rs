//! Makes the paths of a verdict relative to another folder, so that reports can combine several packages.

use super::Verdict;
use crate::place::Location;
use crate::suite::LIVE;

impl Verdict {
    /// Prefixes every relative path with `folder`, which ends with `/`.
    pub fn rebase(&mut self, folder: &str) {
        self.visit_locations(&mut |at| prefix_file(&mut at.file, folder));
        for file in self.runs.iter_mut().filter_map(|run| run.file.as_mut()) {
            prefix_file(file, folder);
        }
        let violations = self.findings.iter_mut().flat_map(|finding| &mut finding.violations);
        for policy in violations.filter_map(|violation| violation.policy.as_mut()) {
            prefix_file(policy, folder);
        }
    }

    fn visit_locations(&mut self, visit: &mut impl FnMut(&mut Location)) {
        visit(&mut self.case);
        self.mutation.iter_mut().for_each(|mutation| visit(&mut mutation.at));
        self.errors.iter_mut().for_each(|error| visit(&mut error.at));
        // Every location moves: a path that stays as it was names a file of another package.
        for finding in &mut self.findings {
            visit(&mut finding.at);
            for violation in &mut finding.violations {
                visit(&mut violation.at);
                violation.policy_at.iter_mut().for_each(&mut *visit);
            }
        }
    }
}

/// Prefixes a relative path with `folder`.
pub(crate) fn prefix_file(file: &mut String, folder: &str) {
    if !is_absolute(file) && file != LIVE {
        file.insert_str(0, folder);
    }
}

/// Whether a file's name is an absolute path on any system, because a verdict may be read on another one. An empty name is
/// not a path and stays as it is.
fn is_absolute(file: &str) -> bool {
    file.is_empty() || file.starts_with('/') || file.get(1..3) == Some(":/")
}
