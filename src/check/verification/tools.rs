//! The kinds of tools, by name: `Edit`, `mcp__fs__write_file`, `functions.exec_command`, `str_replace_editor`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::pattern::{ToolPattern, list_words, split_name};
use crate::trace::Call;

use super::purpose::Purpose;

/// The kind of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolKind {
    /// Writes files.
    Edit,
    /// Shows files.
    Read,
    /// Searches files and names them.
    Search,
    /// Runs shell lines.
    Shell,
    /// Runs a check or a deployment.
    Run(Purpose),
    /// Shows messages of the compiler and the linter.
    Diagnostics,
    /// Changes nothing that this check examines: notes, plans, questions.
    Bystander,
}

/// Names in lower case, without `_`, `-` and blanks.
const TABLES: [(ToolKind, &str); 6] = [
    (ToolKind::Edit, include_str!("data/tools_edit.txt")),
    (ToolKind::Read, include_str!("data/tools_read.txt")),
    (ToolKind::Search, include_str!("data/tools_search.txt")),
    (ToolKind::Shell, include_str!("data/tools_shell.txt")),
    (ToolKind::Diagnostics, include_str!("data/tools_diagnostics.txt")),
    (ToolKind::Bystander, include_str!("data/tools_bystander.txt")),
];

static BY_NAME: LazyLock<HashMap<&str, ToolKind>> = LazyLock::new(|| {
    // A name in two tables is of the first, which is inserted last.
    let tables = TABLES.into_iter().rev();
    tables.flat_map(|(tool, names)| list_words(names).into_iter().map(move |name| (name, tool))).collect()
});

/// Finds the kind of the tool of `call`. The names in `own`, from the settings, come first.
pub(super) fn tool_of(call: &Call, own: &[(ToolKind, ToolPattern)]) -> Option<ToolKind> {
    let bare = strip_server(&call.name);
    let mut own = own.iter();
    if let Some((tool, _)) = own.find(|(_, own)| own.matches(call) || own.matches_name(bare)) {
        return Some(*tool);
    }
    let name: String =
        bare.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect();
    // Vendors append a version or a date to the names of their tools.
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    BY_NAME.get(name).copied().or_else(|| by_words(bare))
}

/// The tool's own name: `mcp__SERVER__TOOL`, `server__tool`, `server.tool`, `server/tool`.
pub(super) fn strip_server(name: &str) -> &str {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let name = name.split_once("__").map_or(name, |(_, tool)| tool);
    name.rsplit(['.', '/', ':']).next().unwrap_or(name)
}

/// Finds the kind of a tool that is in no table, by the words of its name: `run_unit_tests`, `deployService`, `check_health`.
fn by_words(name: &str) -> Option<ToolKind> {
    let words = split_name(name);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let purpose =
        if has_any(&words, &["health", "healthcheck", "healthz", "status", "ping", "probe", "smoke"]) {
            Purpose::Health
        } else if matches!(first, "deploy" | "redeploy" | "rollout" | "release" | "launch" | "promote") {
            Purpose::Deploy
        } else if has_any(&words, &["test", "tests", "pytest", "jest"])
            && !matches!(first, "get" | "list" | "create" | "write" | "generate")
        {
            // `get_test_results` reads a result, and `create_test` writes one: neither runs tests.
            Purpose::Test
        } else if has_any(&words, &["typecheck", "compile", "build"]) {
            Purpose::Type
        } else if has_any(&words, &["lint", "linter"]) {
            Purpose::Lint
        } else if has_any(&words, &["coverage"]) {
            Purpose::Coverage
        } else {
            return None;
        };
    Some(ToolKind::Run(purpose))
}

fn has_any(words: &[String], wanted: &[&str]) -> bool {
    words.iter().any(|word| wanted.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Arguments;

    #[test]
    fn tools_are_known_by_many_names() {
        for (name, tool) in [
            ("Edit", Some(ToolKind::Edit)),
            ("mcp__filesystem__write_file", Some(ToolKind::Edit)),
            ("functions.exec_command", Some(ToolKind::Shell)),
            ("text_editor_20250728", Some(ToolKind::Edit)),
            ("str_replace_based_edit_tool", Some(ToolKind::Edit)),
            ("read_file", Some(ToolKind::Read)),
            ("developer__text_editor", Some(ToolKind::Edit)),
            ("fs_write", Some(ToolKind::Edit)),
            ("run_in_terminal", Some(ToolKind::Shell)),
            ("runUnitTests", Some(ToolKind::Run(Purpose::Test))),
            ("deploy_service", Some(ToolKind::Run(Purpose::Deploy))),
            ("get_deployment_status", Some(ToolKind::Run(Purpose::Health))),
            ("update_order", None),
        ] {
            let found = tool_of(&Call::new(name, Arguments::none(), 1), &[]);
            assert_eq!(found, tool, "{name}");
        }
    }
}
