//! Schemas by tool.

use std::collections::HashMap;

use super::{Schema, join};
use crate::check::Clause;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::Node;

/// The schemas of a policy. A tool's own name wins over a glob, an earlier glob over a later one.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<(ToolPattern, Schema)>,
    by_name: HashMap<String, usize>,
}

impl Table {
    /// Adds the schema of the tools that `pattern` means.
    pub(crate) fn insert(&mut self, pattern: ToolPattern, schema: Schema) {
        if let Some(name) = pattern.exact() {
            self.by_name.insert(name.to_owned(), self.entries.len());
        }
        self.entries.push((pattern, schema));
    }

    /// The schema for `tool`.
    pub(crate) fn find(&self, tool: &str) -> Option<&Schema> {
        if let Some(index) = self.by_name.get(tool) {
            return self.entries.get(*index).map(|(_, schema)| schema);
        }
        self.entries.iter().find(|(pattern, _)| pattern.matches(tool)).map(|(_, schema)| schema)
    }

    /// Names and globs, in the file's order.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &ToolPattern> {
        self.entries.iter().map(|(pattern, _)| pattern)
    }

    /// A clause for each schema, in the file's order.
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        self.entries.iter().map(|(pattern, schema)| schema.clause(pattern.clone())).collect()
    }

    /// Whether there is no schema at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries of the mapping at `pointer`, each read by `read`; those called `skip` are none.
    pub(crate) fn read<'n>(
        node: Node<'n>,
        pointer: &str,
        skip: &str,
        read: impl Fn(Node<'n>, &str) -> Result<Schema, LoadErrors>,
    ) -> Result<Self, LoadErrors> {
        let Some(entries) = node.entries() else {
            let problem = format!("tools and their schemas are a mapping, not {}", node.describe());
            return Err(node.error(problem).into());
        };
        let (mut table, mut errors) = (Self::default(), LoadErrors::new());
        for (key, entry) in entries.filter(|(key, _)| key.name != skip) {
            let pattern = ToolPattern::new(&key.name)
                .map_err(|problem| LoadError::new(Place::new(entry.source(), key.span), problem));
            let schema = errors.take(read(entry, &join(pointer, &key.name)));
            if let (Some(pattern), Some(schema)) = (errors.take(pattern), schema) {
                table.insert(pattern, schema);
            }
        }
        errors.or(table)
    }
}

#[cfg(test)]
mod tests {
    use crate::check::json_schema::Home;
    use crate::place::Source;
    use crate::yaml::Document;

    #[test]
    fn a_name_wins_over_a_glob_and_an_earlier_glob_over_a_later_one() {
        let text = "{'get_*': {type: object}, '*': {type: array}, get_order: {type: string}}";
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        let home = Home::settings(documents[0].root(), false);
        let table = home.schemas(documents[0].root(), "", &[]).expect("right schemas");
        let accepts = |tool: &str, value: serde_json::Value| {
            let faults = table.find(tool).expect("a schema").faults(&value, "field");
            faults.expect("it can be decided").is_empty()
        };
        assert!(accepts("get_order", "x".into()));
        assert!(accepts("get_user", serde_json::json!({})) && !accepts("get_user", serde_json::json!([])));
        assert!(accepts("other", serde_json::json!([])));
    }
}
