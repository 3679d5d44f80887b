//! Schemas by tool.

use std::collections::HashMap;

use super::{Schema, join};
use crate::check::Clause;
use crate::check::support::reading::require_entries;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::trace::Call;
use crate::yaml::Node;

/// The schemas of a policy. A tool's own name wins over a glob, an earlier glob over a later one, and a name with its
/// server over a name alone.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<(ToolPattern, Schema)>,
    by_name: HashMap<String, usize>,
    /// The names with a server: few policies have any.
    on_servers: Vec<usize>,
}

/// The schema of a call.
pub(crate) enum FoundSchema<'t> {
    /// The schema of the call.
    Found(&'t Schema),
    /// No entry means the call.
    Unknown,
    /// The answer depends on the server of the tool, which the trace does not record.
    Undecided,
}

impl Table {
    /// Adds the schema of the tools that `pattern` means.
    pub(crate) fn insert(&mut self, pattern: ToolPattern, schema: Schema) {
        if let Some(name) = pattern.exact() {
            self.by_name.insert(name.to_owned(), self.entries.len());
            self.on_servers.extend((pattern.tool() != name).then_some(self.entries.len()));
        }
        self.entries.push((pattern, schema));
    }

    /// The schema for the tool of `call`.
    pub(crate) fn find(&self, call: &Call) -> FoundSchema<'_> {
        let names = [Some(&call.name), call.written.as_ref()].into_iter().flatten();
        // The most specific entry wins: a name on this server, then a plain name, then the first glob that fits.
        let on_server = self.on_servers.iter().find(|index| self.entries[**index].0.matches(call));
        // The name as the trace has written it is tried first, because it says more.
        if let Some(index) = on_server.or_else(|| names.rev().find_map(|name| self.by_name.get(name))) {
            return FoundSchema::Found(&self.entries[*index].1);
        }
        match self.entries.iter().find(|(pattern, _)| pattern.may_match(call)) {
            Some((pattern, schema)) if pattern.matches(call) => FoundSchema::Found(schema),
            Some(_) => FoundSchema::Undecided,
            None => FoundSchema::Unknown,
        }
    }

    /// Whether an entry means the tool that a user names.
    pub(crate) fn defines(&self, name: &str) -> bool {
        let call = ToolPattern::new(name).ok().and_then(|tool| tool.example(1));
        call.is_some_and(|call| matches!(self.find(&call), FoundSchema::Found(_)))
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

    /// The entries of the mapping at `pointer`, each read by `read`. Entries called `skip` are left out.
    pub(crate) fn read<'n>(
        node: Node<'n>,
        pointer: &str,
        skip: &str,
        read: impl Fn(Node<'n>, &str) -> Result<Schema, LoadErrors>,
    ) -> Result<Self, LoadErrors> {
        let entries = require_entries(node, "tools and their schemas are a mapping")?;
        let mut table = Self::default();
        let mut errors = LoadErrors::new();
        for (key, entry) in entries.filter(|(key, _)| key.name != skip) {
            let pattern = ToolPattern::new(&key.name)
                .map_err(|problem| LoadError::new(Place::new(entry.source(), key.span), problem));
            let schema = errors.take(read(entry, &join(pointer, &key.name)));
            // Name and schema are both read before either is needed, so that one error does not hide the other.
            if let (Some(pattern), Some(schema)) = (errors.take(pattern), schema) {
                table.insert(pattern, schema);
            }
        }
        errors.or(table)
    }
}

#[cfg(test)]
mod tests {
    use super::FoundSchema;
    use crate::check::json_schema::Home;
    use crate::json::{Json, json};
    use crate::place::Source;
    use crate::trace::{Arguments, Call};
    use crate::yaml::Document;

    #[test]
    fn a_name_wins_over_a_glob_and_an_earlier_glob_over_a_later_one() {
        let text = "{'get_*': {type: object}, '*': {type: array}, get_order: {type: string}}";
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        let home = Home::settings(documents[0].root(), false);
        let table = home.schemas(documents[0].root(), "", &[]).expect("right schemas");
        let accepts = |tool: &str, value: Json| {
            let call = Call::new(tool, Arguments::none(), 1);
            let FoundSchema::Found(schema) = table.find(&call) else { panic!("a schema of {tool}") };
            let faults = schema.faults(&value, "field");
            faults.expect("it can be decided").is_empty()
        };
        assert!(accepts("get_order", "x".into()));
        assert!(accepts("get_user", json!({})) && !accepts("get_user", json!([])));
        assert!(accepts("other", json!([])));
    }
}
