//! What a suite says for all its cases, and checks look up when their settings are read.

pub(super) mod criteria;
pub(super) mod failed_when;
pub(super) mod input_match;
pub(super) mod judge;
pub(super) mod prices;
pub(super) mod readers;
pub(super) mod shipped;
pub(super) mod weights;

use std::sync::Arc;

use arraign_trace::reader::ReaderSet;

use crate::check::VerificationSettings;
use crate::check::tables::criteria::Criteria;
use crate::check::tables::failed_when::FailedWhen;
use crate::check::tables::input_match::InputMatch;
use crate::check::tables::judge::JudgeSettings;
use crate::check::tables::prices::Prices;
use crate::check::tables::readers::{DeclaredReaders, ReaderFailures, parse_reader_name, parse_readers};
use crate::check::tables::weights::Weights;
use crate::pattern::{FieldAliases, ToolCategories};
use crate::yaml::Fields;

/// The tables of one suite.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tables {
    /// The words by which a field of a golden row is known in an answer.
    pub field_aliases: FieldAliases,
    /// `tool_categories`, beside the built-in ones.
    pub tool_categories: ToolCategories,
    /// `prices` of tokens.
    pub prices: Prices,
    /// `readers`: the declared ones, and those that are built in.
    pub readers: ReaderSet,
    /// `failed_when` of the declared readers.
    pub reader_failures: ReaderFailures,
    /// `format`: the format of runs that do not show it.
    pub format: Option<String>,
    /// `failed_when`: which results of tools are failures.
    pub failed_when: Option<Arc<FailedWhen>>,
    /// `input_match` of the suite.
    pub input_match: Option<InputMatch>,
    /// `input_match` of `arraign.yaml`, which counts after that of the agent.
    pub shared_input_match: Option<InputMatch>,
    /// `judge`: who gives opinions, where a case does not give them itself.
    pub judge: Option<Arc<JudgeSettings>>,
    /// `criteria`: what the criteria of golden rows mean.
    pub criteria: Arc<Criteria>,
    /// What the scored dimensions weigh, unless a suite or a case says otherwise.
    pub weights: Weights,
    /// `verification`: the base of what each case says that asks for the check.
    pub(crate) verification: Arc<VerificationSettings>,
}

impl Tables {
    /// These tables with what a suite, or `arraign.yaml`, adds to them.
    pub fn extended(&self, fields: &mut Fields<'_>) -> Self {
        let aliases = fields.parse("field_aliases", |node| self.field_aliases.extend_from(node));
        let categories = fields.parse("tool_categories", |node| self.tool_categories.extend_from(node));
        let prices = fields.parse("prices", |node| self.prices.extended(node));
        let before =
            DeclaredReaders { readers: self.readers.clone(), failures: self.reader_failures.clone() };
        let declared = fields.parse("readers", |node| parse_readers(node, before.clone())).unwrap_or(before);
        let format = fields
            .node("format")
            .and_then(|node| fields.take(parse_reader_name(node, &declared.readers.names())));
        let failed_when = fields.parse("failed_when", FailedWhen::read);
        let judge = fields.parse("judge", |node| JudgeSettings::read(node, self.judge.as_deref()));
        let verification = fields.parse("verification", |node| self.verification.shared(node));
        let criteria = fields.parse("criteria", |node| self.criteria.extended(node));
        Self {
            field_aliases: aliases.unwrap_or_else(|| self.field_aliases.clone()),
            tool_categories: categories.unwrap_or_else(|| self.tool_categories.clone()),
            prices: prices.unwrap_or_else(|| self.prices.clone()),
            readers: declared.readers,
            reader_failures: declared.failures,
            format: format.or_else(|| self.format.clone()),
            failed_when: failed_when.map(Arc::new).or_else(|| self.failed_when.clone()),
            // These two are no table of one name: an agent's setting comes between them.
            input_match: self.input_match,
            shared_input_match: self.shared_input_match,
            judge: judge.map(Arc::new).or_else(|| self.judge.clone()),
            criteria: criteria.map_or_else(|| Arc::clone(&self.criteria), Arc::new),
            weights: self.weights.clone(),
            verification: verification.map_or_else(|| Arc::clone(&self.verification), Arc::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{LoadErrors, Source};
    use crate::trace::{Arguments, Call, Trace, Usage};
    use crate::yaml::Document;

    fn extended(tables: &Tables, text: &str) -> Result<Tables, LoadErrors> {
        let documents = Document::parse(&Source::new("suite.yaml", text)).expect("valid YAML");
        let mut fields = Fields::of(documents[0].root(), "a suite").expect("a mapping");
        let tables = tables.extended(&mut fields);
        fields.finish(tables)
    }

    #[test]
    fn a_suite_adds_to_what_all_suites_share() {
        let shared = "{tool_categories: {web: [fetch]}, prices: {a: {input: 1, output: 1}}}";
        let shared = extended(&Tables::default(), shared).expect("tables");
        let suite = "{tool_categories: {web: [get]}, prices: {b: {input: 2, output: 2}}}";
        let tables = extended(&shared, suite).expect("tables");
        let web = tables.tool_categories.find("web").expect("a category");
        let has = |name: &str| web.has(&Call::new(name, Arguments::none(), 1));
        assert!(has("curl") && has("fetch") && has("get"));
        let usage = Some(Usage { input_tokens: 1_000_000, ..Usage::default() });
        let costs = ["a", "b", "c"].map(|model| {
            tables.prices.cost(&Trace { model: Some(model.to_owned()), usage, ..Trace::default() })
        });
        assert_eq!(costs, [Some(1.0), Some(2.0), None]);
    }

    #[test]
    fn a_suite_names_the_format_before_all_suites() {
        let shared = extended(&Tables::default(), "{format: openai-chat}").expect("tables");
        let format = |text: &str| extended(&shared, text).expect("tables").format;
        assert_eq!(format("{}").as_deref(), Some("openai-chat"));
        assert_eq!(format("{format: anthropic}").as_deref(), Some("anthropic"));
        let errors = extended(&shared, "{format: antropic}").expect_err("no reader");
        assert!(errors.to_string().contains("did you mean"), "{errors}");
    }

    #[test]
    fn a_suite_adds_aliases_or_is_told_why_not() {
        let tables = extended(&Tables::default(), "{field_aliases: {price: [fee]}}").expect("tables");
        assert_eq!(tables.field_aliases.compile_pattern("price").expect("a pattern").aliases(), ["fee"]);
        assert_eq!(
            tables.field_aliases.compile_pattern("status").expect("a pattern").aliases(),
            ["status", "state"]
        );
        let errors = extended(&Tables::default(), "{field_aliases: [price]}").expect_err("a list");
        assert!(errors.to_string().starts_with("suite.yaml:1:17: expected a mapping"), "{errors}");
    }
}
