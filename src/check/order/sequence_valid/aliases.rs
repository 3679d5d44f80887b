//! Aliases: one name for several tools.

use crate::check::support::reading::require_entries;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Key, Node, read_all};

/// The aliases that the rules of one file may use.
#[derive(Default)]
pub(super) struct Aliases(Vec<(String, Vec<ToolPattern>)>);

impl Aliases {
    /// Reads `{Egress: [curl, wget]}`.
    pub(super) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        let entries: Vec<(&Key, Node)> =
            require_entries(node, "`aliases` is a mapping of names to tools")?.collect();
        let names: Vec<&str> = entries.iter().map(|(key, _)| key.name.as_str()).collect();
        let aliases = entries.iter().map(|(key, value)| {
            Ok::<_, LoadErrors>((key.name.to_string(), read_members(key, *value, &names)?))
        });
        read_all(aliases).map(Self)
    }

    /// Returns the tools that `name` stands for, if it is an alias.
    pub(super) fn members(&self, name: &str) -> Option<&[ToolPattern]> {
        self.0.iter().find(|(alias, _)| alias == name).map(|(_, members)| members.as_slice())
    }
}

fn read_members(alias: &Key, value: Node<'_>, aliases: &[&str]) -> Result<Vec<ToolPattern>, LoadErrors> {
    let nodes = value.one_or_many();
    if nodes.is_empty() {
        let place = Place::new(value.source(), alias.span);
        let error = LoadError::new(place, format!("the alias `{}` has no members", alias.name));
        return Err(error.help("list its tools, or drop it").into());
    }
    read_all(nodes.into_iter().map(|node| read_member(alias, node, aliases)))
}

/// A member that is another alias would be taken for a tool of that name, and match nothing.
fn read_member(alias: &Key, node: Node<'_>, aliases: &[&str]) -> Result<ToolPattern, LoadError> {
    let pattern: ToolPattern = node.decode()?;
    let name = pattern.as_str();
    if name != alias.name && aliases.contains(&name) {
        let problem = format!("`{name}` is an alias itself, and aliases do not nest");
        return Err(node.error(problem).help("list its members here"));
    }
    Ok(pattern)
}
