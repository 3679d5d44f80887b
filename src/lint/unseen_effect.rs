//! `unseen_effect`: a mock tool changes the state, and no case looks at what it changes.
//!
//! A case looks at a change with a check of the state, or with a check of the calls that names the tool. A tool that several
//! cases of a suite share is seen if one of them looks at it.

use super::LintRemark;
use crate::case::Case;
use crate::check::MockTool;
use crate::pattern::ToolPattern;
use crate::place::Location;

/// The tools that change a state, and whether a case looks at the change.
#[derive(Default)]
pub(super) struct SeenEffects(Vec<WritingTool>);

struct WritingTool {
    at: Location,
    name: String,
    is_seen: bool,
}

impl SeenEffects {
    pub(super) fn add_case(&mut self, case: &Case) {
        let Some(mocks) = &case.mocks else { return };
        for tool in mocks.script.list_writing_tools() {
            let at = tool.place.locate();
            let is_seen = looks_at(case, tool);
            match self.0.iter_mut().find(|known| known.at == at && known.name == tool.name) {
                Some(known) => known.is_seen |= is_seen,
                None => self.0.push(WritingTool { at, name: tool.name.clone(), is_seen }),
            }
        }
    }

    pub(super) fn into_remarks(self) -> Vec<LintRemark> {
        let unseen = self.0.into_iter().filter(|tool| !tool.is_seen);
        let remarks = unseen.map(|tool| LintRemark {
            lint: "unseen_effect",
            at: tool.at,
            message: format!("`{}` changes the state, and no case looks at what it changes", tool.name),
            help: "add a check such as `state: {has: {POINTER: VALUE}}`, or `state: {after: [...]}`",
        });
        remarks.collect()
    }
}

/// Whether a check of the case looks at what the tool changes, or at its calls.
fn looks_at(case: &Case, tool: &MockTool) -> bool {
    let operations = || tool.answers.iter().flat_map(|answer| &answer.operations);
    case.expectations.iter().any(|expectation| {
        let check = expectation.check();
        let watched = check.watched_state();
        if watched.is_empty() {
            let mut named = check.tools().into_iter().filter_map(ToolPattern::exact);
            return named.any(|name| name == tool.name);
        }
        // A program may change anything, so each look at the state may see it.
        tool.answers.iter().any(|answer| answer.program().is_some())
            || operations().any(|operation| watched.iter().any(|path| operation.pointer().may_touch(path)))
    })
}
