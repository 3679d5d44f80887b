//! `tools: {allow, deny}`: which tools may be called at all.

use serde::Deserialize;

use crate::pattern::{ToolPattern, ToolPatternSet};
use crate::place::LoadErrors;
use crate::trace::Call;
use crate::yaml::{Node, Placed};

/// The tools that a policy allows and denies.
#[derive(Debug, Default)]
pub(super) struct Gate {
    allow: ToolPatternSet,
    deny: ToolPatternSet,
    /// The pointer of the mapping in the file.
    pointer: String,
}

/// The lists of allowed and denied tools.
#[derive(Deserialize)]
struct GateLists {
    allow: Option<Placed<Vec<ToolPattern>>>,
    deny: Option<Vec<ToolPattern>>,
}

/// Why a tool may not be called.
pub(super) enum Refusal<'g> {
    /// This entry denies it. The second field is the entry's pointer.
    Denied(&'g ToolPattern, String),
    /// The tool is not in this list. The second field is the list's pointer.
    NotAllowed(&'g [ToolPattern], String),
}

impl Gate {
    /// Reads the mapping `tools`, which stands at `pointer`.
    pub(super) fn read(tools: Node<'_>, pointer: &str) -> Result<Self, LoadErrors> {
        let lists: GateLists = tools.decode_all()?;
        if let Some(allow) = lists.allow.as_ref().filter(|allow| allow.is_empty()) {
            let error = allow.error("an empty `allow` allows nothing");
            return Err(error.help("leave it out to allow every tool, or deny \"*\"").into());
        }
        Ok(Self {
            allow: ToolPatternSet::new(lists.allow.map(Placed::into_value).unwrap_or_default()),
            deny: ToolPatternSet::new(lists.deny.unwrap_or_default()),
            pointer: pointer.to_owned(),
        })
    }

    /// Returns why the tool of `call` may not be called. `deny` wins. A tool that may be allowed is not refused.
    pub(super) fn refusal(&self, call: &Call) -> Option<Refusal<'_>> {
        if let Some(index) = self.deny.find_match(call) {
            let pointer = format!("{}/deny/{index}", self.pointer);
            return Some(Refusal::Denied(&self.deny.patterns()[index], pointer));
        }
        let allow = self.allow.patterns();
        let is_allowed =
            allow.is_empty() || self.allow.find(call, |index| allow[index].may_match(call)).is_some();
        (!is_allowed).then(|| Refusal::NotAllowed(allow, format!("{}/allow", self.pointer)))
    }

    /// Whether every tool may be called.
    pub(super) fn is_empty(&self) -> bool {
        self.allowed().is_empty() && self.denied().is_empty()
    }

    /// The allowed names and globs.
    pub(super) fn allowed(&self) -> &[ToolPattern] {
        self.allow.patterns()
    }

    /// The denied names and globs.
    pub(super) fn denied(&self) -> &[ToolPattern] {
        self.deny.patterns()
    }
}
