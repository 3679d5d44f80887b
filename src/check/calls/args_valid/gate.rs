//! `tools: {allow, deny}`: which tools may be called at all.

use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::Call;
use crate::yaml::{Fields, Node};

/// The tools that a policy allows and denies.
#[derive(Debug, Default)]
pub(super) struct Gate {
    allow: Vec<ToolPattern>,
    deny: Vec<Entry>,
    /// The pointer of `allow` in the file.
    allowed_at: String,
}

/// One denied name or glob, and its pointer in the file.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) pattern: ToolPattern,
    pub(super) pointer: String,
}

/// Why a tool may not be called.
pub(super) enum Refusal<'g> {
    /// This entry denies it.
    Denied(&'g Entry),
    /// It is none of these.
    NotAllowed(&'g [ToolPattern], &'g str),
}

impl Gate {
    /// Reads the mapping `tools`, which stands at `pointer`.
    pub(super) fn read(tools: Node<'_>, pointer: &str) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(tools, "`tools`")?;
        let allow: Option<Vec<ToolPattern>> = fields.list("allow");
        let deny: Vec<ToolPattern> = fields.list("deny").unwrap_or_default();
        // An entry that could not be read leaves the list empty, too, and is reported already.
        if allow.as_ref().is_some_and(Vec::is_empty) && fields.errors.is_empty() {
            let empty = fields.node("allow").unwrap_or(tools).error("an empty `allow` allows nothing");
            fields.errors.push(empty.help("leave it out to allow every tool, or deny \"*\""));
        }
        let allowed_at = format!("{pointer}/allow");
        let deny = deny
            .into_iter()
            .enumerate()
            .map(|(index, pattern)| Entry { pattern, pointer: format!("{pointer}/deny/{index}") });
        let gate = Self { allow: allow.unwrap_or_default(), deny: deny.collect(), allowed_at };
        fields.finish(gate)
    }

    /// Returns why the tool of `call` may not be called. `deny` wins. A tool that may be allowed is not refused.
    pub(super) fn refusal(&self, call: &Call) -> Option<Refusal<'_>> {
        if let Some(denied) = self.deny.iter().find(|entry| entry.pattern.matches(call)) {
            return Some(Refusal::Denied(denied));
        }
        let allowed = self.allow.is_empty() || self.allow.iter().any(|pattern| pattern.may_match(call));
        (!allowed).then_some(Refusal::NotAllowed(&self.allow, &self.allowed_at))
    }

    /// Whether every tool may be called.
    pub(super) fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    /// The allowed names and globs.
    pub(super) fn allowed(&self) -> &[ToolPattern] {
        &self.allow
    }

    /// The denied names and globs.
    pub(super) fn denied(&self) -> impl Iterator<Item = &ToolPattern> {
        self.deny.iter().map(|entry| &entry.pattern)
    }
}
