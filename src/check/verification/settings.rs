//! The settings: a threshold, a profile, and what is added to the tables. What `arraign.yaml` or a suite says is the base
//! of what each case says.

use std::collections::HashSet;

use super::answer::claim::{HEDGES, KEYWORDS};
use super::answer::words::Phrases;
use super::event::AddedNames;
use super::purpose::{CommandPattern, PURPOSES, Purpose};
use super::tools::ToolKind;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value};

/// The threshold of the metric, if the settings have none.
const THRESHOLD: f64 = 0.9;

/// The evidence that the score is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    /// The words of the final answer.
    Text,
    /// The calls, and what the answer says of them.
    Trace,
}

/// The effect of an unsupported statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum OnViolation {
    /// The trial fails, whatever the score is. The default.
    #[default]
    Fail,
    /// The statement only costs its points.
    Score,
}

/// A quality gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum QualityGate {
    /// A type checker.
    Type,
    /// A linter.
    Lint,
    /// A measurement of coverage.
    Coverage,
}

impl From<QualityGate> for Purpose {
    fn from(gate: QualityGate) -> Self {
        match gate {
            QualityGate::Type => Self::Type,
            QualityGate::Lint => Self::Lint,
            QualityGate::Coverage => Self::Coverage,
        }
    }
}

/// Phrases that are looked for in the answer.
#[derive(Debug, Clone)]
pub(super) struct Lexicon {
    /// Statements of verification.
    pub(super) keywords: Phrases,
    /// Guesses.
    pub(super) hedges: Phrases,
}

/// Settings of `verification`.
#[derive(Debug, Clone)]
pub(crate) struct VerificationSettings {
    /// None: the usual one.
    threshold: Option<f64>,
    pub(super) strict: bool,
    /// None: by the trace.
    pub(super) profile: Option<Profile>,
    pub(super) on_violation: OnViolation,
    /// The gates that count.
    pub(super) gates: Vec<Purpose>,
    pub(super) tables: AddedNames,
    pub(super) lexicon: Lexicon,
}

impl Default for VerificationSettings {
    fn default() -> Self {
        Self {
            threshold: None,
            strict: false,
            profile: None,
            on_violation: OnViolation::Fail,
            gates: vec![Purpose::Type, Purpose::Lint, Purpose::Coverage],
            tables: AddedNames::default(),
            lexicon: Lexicon {
                keywords: Phrases::new(KEYWORDS.iter().copied()),
                hedges: Phrases::new(HEDGES.iter().copied()),
            },
        }
    }
}

impl VerificationSettings {
    /// These settings with what a suite, or `arraign.yaml`, says for all cases that ask for the check.
    pub(crate) fn shared(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        if matches!(node.value(), Value::Bool(_) | Value::Null) {
            let error = node.error("`verification` holds settings here; it does not ask for the check");
            let help =
                "a suite asks for it with `defaults: {verification: true}`, a case with `verification: true`";
            return Err(error.help(help).into());
        }
        self.extended(node)
    }

    /// These settings with what a case says over them: a mapping, or a threshold; `true` and nothing add nothing.
    pub(crate) fn extended(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        let mut settings = self.clone();
        match node.value() {
            Value::Bool(true) | Value::Null => return Ok(settings),
            Value::Number(_) | Value::NotFinite(_) => {
                settings.threshold = Some(read_threshold(node)?);
                return Ok(settings);
            }
            _ => {}
        }
        let mut fields = Fields::of(node, "`verification`")
            .map_err(|error| error.help("write `true`, a threshold, or settings: `{strict: true}`"))?;
        settings.read_bar(&mut fields);
        settings.read_tables(&mut fields);
        fields.finish(settings)
    }

    /// The least score that passes.
    pub(super) fn least(&self) -> f64 {
        if self.strict { 1.0 } else { self.threshold.unwrap_or(THRESHOLD) }
    }

    /// Whether nothing that is said here fails a case: what is lost only costs points.
    pub(crate) fn only_scores(&self) -> bool {
        self.on_violation == OnViolation::Score && self.threshold.is_none() && !self.strict
    }

    /// Reads the settings that replace the earlier ones.
    fn read_bar(&mut self, fields: &mut Fields<'_>) {
        let least = fields.node("threshold").and_then(|node| fields.take(read_threshold(node)));
        self.threshold = least.or(self.threshold);
        self.strict = fields.optional("strict").unwrap_or(self.strict);
        self.profile = fields.optional("profile").or(self.profile);
        self.on_violation = fields.optional("on_violation").unwrap_or(self.on_violation);
        if let Some(gates) = fields.list::<QualityGate>("gates") {
            let mut gates: Vec<Purpose> = gates.into_iter().map(Purpose::from).collect();
            // Each gate counts once. The order decides the order of messages.
            let mut seen = HashSet::new();
            gates.retain(|gate| seen.insert(*gate));
            self.gates = gates;
        }
    }

    /// Reads the settings that are added to the earlier ones.
    fn read_tables(&mut self, fields: &mut Fields<'_>) {
        if let Some(node) = fields.node("tools") {
            fields.take(read_tools(node, &mut self.tables));
        }
        if let Some(node) = fields.node("commands") {
            fields.take(read_commands(node, &mut self.tables));
        }
        for phrase in fields.list::<String>("keywords").unwrap_or_default() {
            self.lexicon.keywords.add(&phrase);
        }
        for phrase in fields.list::<String>("claims").unwrap_or_default() {
            self.lexicon.hedges.add(&phrase);
        }
    }
}

/// A share; `true` is the usual one, as it is for `verification: true`.
fn read_threshold(node: Node<'_>) -> Result<f64, LoadError> {
    // A null is a key without a value, which is the same as `true`.
    if matches!(node.value(), Value::Bool(true) | Value::Null) {
        return Ok(THRESHOLD);
    }
    let threshold: f64 = node.decode()?;
    if (0.0..=1.0).contains(&threshold) {
        return Ok(threshold);
    }
    Err(node
        .error(format!("a threshold is from 0 to 1, and {threshold} is not"))
        .help("0.9 is the usual one"))
}

fn read_tools(node: Node<'_>, tables: &mut AddedNames) -> Result<(), LoadErrors> {
    const KINDS: &[(&str, ToolKind)] = &[
        ("edit", ToolKind::Edit),
        ("read", ToolKind::Read),
        ("search", ToolKind::Search),
        ("shell", ToolKind::Shell),
        ("ignore", ToolKind::Bystander),
    ];
    let mut fields = Fields::of(node, "`tools`")?;
    let mut added = Vec::new();
    let runs = PURPOSES.map(|(key, purpose, _)| (key, ToolKind::Run(purpose)));
    for (key, tool) in KINDS.iter().copied().chain(runs) {
        let names = fields.list::<ToolPattern>(key).unwrap_or_default();
        added.extend(names.into_iter().map(|name| (tool, name)));
    }
    // The first that fits decides: what a case says stands before what it shares.
    tables.tools.splice(0..0, added);
    tables.self_verifying.extend(fields.list::<ToolPattern>("self_verifying").unwrap_or_default());
    fields.finish(())
}

fn read_commands(node: Node<'_>, tables: &mut AddedNames) -> Result<(), LoadErrors> {
    let mut fields = Fields::of(node, "`commands`")?;
    for (key, purpose, _) in PURPOSES {
        let lines = fields.list::<String>(key).unwrap_or_default();
        tables.commands.extend(lines.iter().filter_map(|line| Some((purpose, CommandPattern::new(line)?))));
    }
    fields.finish(())
}
