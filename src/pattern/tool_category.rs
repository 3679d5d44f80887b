//! Categories of tools: what the tools of coding agents are called, and what a suite adds to that.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use arraign_trace::trace::Call;

use super::tool::ToolPattern;
use super::word_table::list_rows;
use crate::place::LoadErrors;
use crate::yaml::{Node, OneOrMany, OrderedMap, Placed, did_you_mean};

/// The categories that everybody knows, by name, and the exact names of their tools.
static BUILT_IN: LazyLock<Vec<(&str, Vec<&str>)>> =
    LazyLock::new(|| list_rows(include_str!("tool_categories.txt")));

/// The categories of one suite: the built-in ones, and what the suite adds.
#[derive(Debug, Clone, Default)]
pub struct ToolCategories {
    added: BTreeMap<String, Vec<ToolPattern>>,
}

/// One category.
#[derive(Debug, Clone)]
pub struct ToolCategory {
    name: String,
    built_in: &'static [&'static str],
    added: Vec<ToolPattern>,
}

impl ToolCategories {
    /// These, extended by what `node` says: `{web: [my_fetch], database: ["sql_*"]}`.
    pub fn extend_from(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        if node.entries().is_none() {
            let problem =
                format!("`tool_categories` is a mapping of names to tools, not {}", node.describe());
            return Err(node.error(problem).help("write `tool_categories: {NAME: [TOOL, ..]}`").into());
        }
        let written: OrderedMap<String, Placed<OneOrMany<ToolPattern>>> = node.decode_all()?;
        let mut errors = LoadErrors::new();
        let mut extended = self.clone();
        for (name, tools) in written.0 {
            if tools.0.is_empty() {
                let error = tools.error(format!("the category `{name}` has no tools"));
                errors.push(error.help("list them, or drop it"));
            }
            // Tools are added to a category that is known: a suite extends the table, and never takes a tool out of
            // it.
            extended.added.entry(name).or_default().extend(tools.into_value().0);
        }
        errors.or(extended)
    }

    /// The category called `name`.
    pub fn find(&self, name: &str) -> Option<ToolCategory> {
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, tools)| tools.as_slice());
        let added = self.added.get(name);
        (built_in.is_some() || added.is_some()).then(|| ToolCategory {
            name: name.to_owned(),
            built_in: built_in.unwrap_or_default(),
            added: added.cloned().unwrap_or_default(),
        })
    }

    /// Returns the help for a category that is not known.
    pub fn help(&self, name: &str) -> String {
        let added = self.added.keys().map(String::as_str);
        let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).chain(added).collect();
        let own = format!("`tool_categories: {{{name}: [TOOL, ..]}}` on the suite adds it");
        did_you_mean(name, &known).map_or_else(|| own.clone(), |known| format!("{known}; {own}"))
    }
}

impl ToolCategory {
    /// The name of the category.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the tool of `call` belongs to it.
    pub fn has(&self, call: &Call) -> bool {
        self.built_in.contains(&call.name.as_str()) || self.added.iter().any(|added| added.matches(call))
    }

    /// The names and globs that the suite adds.
    pub fn added(&self) -> impl Iterator<Item = &ToolPattern> {
        self.added.iter()
    }

    /// The names and globs of its tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.built_in.iter().copied().chain(self.added.iter().map(ToolPattern::as_str))
    }
}

#[cfg(test)]
mod tests {
    use arraign_trace::trace::Arguments;

    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    fn extended(text: &str) -> Result<ToolCategories, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        ToolCategories::default().extend_from(documents[0].root()).map_err(|errors| errors.to_string())
    }

    #[test]
    fn a_suite_extends_a_category_and_adds_others() {
        let categories = extended("{web: [my_fetch], database: ['sql_*']}").expect("they are right");
        let has = |category: &str, tool: &str| {
            let call = Call::new(tool, Arguments::none(), 1);
            categories.find(category).expect(category).has(&call)
        };
        assert!(has("web", "my_fetch") && has("web", "curl") && !has("web", "bash"));
        assert!(has("database", "sql_run") && !has("database", "Sql_run"));
        assert!(categories.find("databse").is_none());
        assert!(categories.help("databse").starts_with("did you mean `database`?"));
    }

    #[test]
    fn all_mistakes_are_said() {
        assert_eq!(
            extended("{web: []}").expect_err("no tools"),
            "s.yaml:1:7: the category `web` has no tools (help: list them, or drop it)"
        );
        assert_eq!(
            extended("{db: ['a[', 3]}").expect_err("two mistakes"),
            "s.yaml:1:7: `a[` is not a pattern: unclosed character class; missing ']'\n\
             s.yaml:1:13: expected a text, found `3` (help: quote it, so that it is a text)"
        );
    }
}
