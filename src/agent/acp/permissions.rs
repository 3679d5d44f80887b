//! Which calls of an agent are allowed.

use crate::agent::mocks::OwnTools;
use crate::case::AcpPermissions;
use crate::json::Json;
use crate::trace::split_mcp_name;

/// What the messages so far say of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownCall {
    kind: Option<String>,
    name: Option<String>,
    title: Option<String>,
}

impl KnownCall {
    /// Takes what a message says of the call.
    pub(super) fn update(&mut self, update: &Json) {
        let text = |pointer: &str| update.pointer(pointer).and_then(Json::as_str).map(ToOwned::to_owned);
        self.kind = text("/kind").or(self.kind.take());
        self.name = text("/name").or_else(|| text("/_meta/claudeCode/toolName")).or(self.name.take());
        self.title = text("/title").or(self.title.take());
    }

    /// Whether the call is one of a tool of the case. Agents that give no name have it in the title.
    pub(super) fn is_one_of(&self, tools: &OwnTools) -> bool {
        let Some(name) = self.name.as_deref().or(self.title.as_deref()) else { return false };
        match split_mcp_name(name) {
            Some((server, tool)) => server == tools.server && tools.names.iter().any(|own| own == tool),
            None => tools.names.iter().any(|own| own == name),
        }
    }

    /// Whether the settings allow the call. What no list names is denied.
    pub(super) fn is_allowed_by(&self, permissions: &AcpPermissions) -> bool {
        match permissions {
            AcpPermissions::Allow => true,
            AcpPermissions::Deny => false,
            AcpPermissions::Listed { allow, .. } => allow.iter().any(|entry| self.is_named(entry)),
        }
    }

    /// Whether an entry is the kind of the call, or its name with or without its server.
    fn is_named(&self, entry: &str) -> bool {
        let kind = self.kind.as_deref().unwrap_or("other");
        let bare = self.name.as_deref().and_then(split_mcp_name).map(|(_, tool)| tool);
        entry == kind || self.name.as_deref() == Some(entry) || bare == Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn call(update: &Json) -> KnownCall {
        let mut call = KnownCall::default();
        call.update(update);
        call
    }

    fn listed(allow: &[&str], deny: &[&str]) -> AcpPermissions {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        AcpPermissions::Listed { allow: own(allow), deny: own(deny) }
    }

    #[test]
    fn an_entry_is_a_kind_or_a_name() {
        let edit = call(&json!({"kind": "edit", "_meta": {"claudeCode": {"toolName": "Write"}}}));
        let shop = call(&json!({"name": "mcp__shop__refund"}));
        for (call, allow, is_allowed) in [
            (&edit, "edit", true),
            (&edit, "Write", true),
            (&edit, "write", false),
            (&shop, "other", true),
            (&shop, "refund", true),
            (&shop, "mcp__shop__refund", true),
            (&shop, "shop", false),
        ] {
            assert_eq!(call.is_allowed_by(&listed(&[allow], &[])), is_allowed, "{call:?} {allow}");
        }
    }

    #[test]
    fn allow_comes_before_deny_and_what_neither_names_is_denied() {
        let edit = call(&json!({"kind": "edit", "name": "write"}));
        assert!(edit.is_allowed_by(&listed(&["write"], &["edit"])));
        assert!(!edit.is_allowed_by(&listed(&[], &["execute"])));
        assert!(edit.is_allowed_by(&AcpPermissions::Allow) && !edit.is_allowed_by(&AcpPermissions::Deny));
    }

    #[test]
    fn a_tool_of_the_case_is_known_by_its_name_and_its_server() {
        let tools = OwnTools { server: "shop".to_owned(), names: vec!["refund".to_owned()] };
        for (update, is_own) in [
            (json!({"name": "mcp__shop__refund"}), true),
            (json!({"title": "refund"}), true),
            (json!({"title": "mcp__shop__refund"}), true),
            (json!({"name": "mcp__other__refund"}), false),
            (json!({"name": "bash", "title": "refund"}), false),
            (json!({"kind": "edit"}), false),
        ] {
            assert_eq!(call(&update).is_one_of(&tools), is_own, "{update}");
        }
    }
}
