//! What a suite says for all its cases, and checks look up when their settings are read.

use super::prices::Prices;
use crate::pattern::ToolCategories;
use crate::yaml::Fields;

/// The tables of one suite.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tables {
    /// `tool_categories`, beside the built-in ones.
    pub tool_categories: ToolCategories,
    /// `prices` of tokens.
    pub prices: Prices,
}

impl Tables {
    /// These tables with what a suite, or `arraign.yaml`, adds to them.
    pub fn extended(&self, fields: &mut Fields<'_>) -> Self {
        let mut tables = self.clone();
        if let Some(node) = fields.node("tool_categories") {
            tables.tool_categories = fields.take(self.tool_categories.extended(node)).unwrap_or_default();
        }
        if let Some(node) = fields.node("prices") {
            tables.prices = fields.take(self.prices.extended(node)).unwrap_or_default();
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Source;
    use crate::trace::{Trace, Usage};
    use crate::yaml::Document;

    fn extended(tables: &Tables, text: &str) -> Tables {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        let mut fields = Fields::of(documents[0].root(), "a suite").expect("a mapping");
        let tables = tables.extended(&mut fields);
        fields.finish(tables).expect("right tables")
    }

    #[test]
    fn a_suite_adds_to_what_all_suites_share() {
        let shared = "{tool_categories: {web: [fetch]}, prices: {a: {input: 1, output: 1}}}";
        let shared = extended(&Tables::default(), shared);
        let suite = "{tool_categories: {web: [get]}, prices: {b: {input: 2, output: 2}}}";
        let tables = extended(&shared, suite);
        let web = tables.tool_categories.find("web").expect("a category");
        assert!(web.has("curl") && web.has("fetch") && web.has("get"));
        let usage = Some(Usage { input_tokens: 1_000_000, ..Usage::default() });
        let cost = |model: &str| {
            tables.prices.cost(&Trace { model: Some(model.to_owned()), usage, ..Trace::default() })
        };
        assert_eq!((cost("a"), cost("b"), cost("c")), (Some(1.0), Some(2.0), None));
    }
}
