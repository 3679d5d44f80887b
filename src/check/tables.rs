//! What a suite says for all its cases, and checks look up when their settings are read.

use crate::pattern::FieldAliases;
use crate::yaml::Fields;

/// The tables of one suite.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tables {
    /// The words by which a field of a golden row is known in an answer.
    pub field_aliases: FieldAliases,
}

impl Tables {
    /// These tables with what a suite, or `arraign.yaml`, adds to them.
    pub fn extended(&self, fields: &mut Fields<'_>) -> Self {
        Self { field_aliases: self.field_aliases_with(fields).unwrap_or_else(|| self.field_aliases.clone()) }
    }

    fn field_aliases_with(&self, fields: &mut Fields<'_>) -> Option<FieldAliases> {
        let aliases = fields.node("field_aliases")?;
        fields.take(self.field_aliases.extended(aliases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{LoadErrors, Source};
    use crate::yaml::Document;

    fn with(text: &str) -> Result<Tables, LoadErrors> {
        let documents = Document::parse(&Source::new("suite.yaml", text)).expect("valid YAML");
        let mut fields = Fields::of(documents[0].root(), "a suite").expect("a mapping");
        let tables = Tables::default().extended(&mut fields);
        fields.finish(tables)
    }

    #[test]
    fn a_suite_adds_to_the_tables_or_is_told_why_not() {
        let tables = with("{field_aliases: {price: [fee]}}").expect("tables");
        assert_eq!(tables.field_aliases.pattern("price").expect("a pattern").aliases(), ["fee"]);
        assert_eq!(tables.field_aliases.pattern("status").expect("a pattern").aliases(), ["status", "state"]);
        let errors = with("{field_aliases: [price]}").expect_err("a list");
        assert!(errors.to_string().starts_with("suite.yaml:1:17: `field_aliases` is a mapping"), "{errors}");
    }
}
