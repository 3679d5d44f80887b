//! The settings: a threshold, a profile, and what is added to the tables. What `arraign.yaml` or a suite says is the base
//! of what each case says.

use std::collections::HashSet;

use serde::Deserialize;

use super::act::AddedNames;
use super::answer::claim::{HEDGES, KEYWORDS};
use super::answer::words::Phrases;
use super::purpose::{CommandPattern, Purpose};
use super::tools::ToolKind;
use crate::JsonSchema;
use crate::check::support::reading::ShareOrUsual;
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::yaml::{Node, Value, even_null};

/// The threshold of the metric, if the settings have none.
const THRESHOLD: f64 = 0.9;

/// The evidence that the score is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    /// The words of the final answer.
    Text,
    /// The calls, and what the answer says of them.
    Trace,
}

/// The effect of an unsupported statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnViolation {
    /// The trial fails, whatever the score is. The default.
    #[default]
    Fail,
    /// The statement only costs its points.
    Score,
}

/// A quality gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
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
        if node.entries().is_some() {
            settings.apply(node.decode_all()?);
        } else {
            let share: ShareOrUsual = node.decode().map_err(|error| {
                error.help("write `true`, a threshold, or settings: `verification: {strict: true}`")
            })?;
            settings.threshold = share.get().or(settings.threshold);
        }
        Ok(settings)
    }

    /// The least score that passes.
    pub(super) fn least(&self) -> f64 {
        if self.strict { 1.0 } else { self.threshold.unwrap_or(THRESHOLD) }
    }

    /// Whether nothing that is said here fails a case: what is lost only costs points.
    pub(crate) fn only_scores(&self) -> bool {
        self.on_violation == OnViolation::Score && self.threshold.is_none() && !self.strict
    }

    /// Applies what is written over the earlier settings.
    fn apply(&mut self, written: WrittenSettings) {
        self.threshold = written.threshold.map(|share| share.get().unwrap_or(THRESHOLD)).or(self.threshold);
        self.strict = written.strict.unwrap_or(self.strict);
        self.profile = written.profile.or(self.profile);
        self.on_violation = written.on_violation.unwrap_or(self.on_violation);
        if let Some(gates) = written.gates {
            let mut gates: Vec<Purpose> = gates.into_iter().map(Purpose::from).collect();
            // Each gate counts once. The order decides the order of messages.
            let mut seen = HashSet::new();
            gates.retain(|gate| seen.insert(*gate));
            self.gates = gates;
        }
        if let Some(mut tools) = written.tools {
            self.tables.self_verifying.extend(tools.self_verifying.take().unwrap_or_default());
            // The first that fits decides: what a case says stands before what it shares.
            self.tables.tools.splice(0..0, tools.list_by_kind());
        }
        if let Some(commands) = written.commands {
            self.tables.commands.extend(commands.list_by_purpose());
        }
        for phrase in written.keywords.unwrap_or_default() {
            self.lexicon.keywords.add(&phrase);
        }
        for phrase in written.claims.unwrap_or_default() {
            self.lexicon.hedges.add(&phrase);
        }
    }
}

/// Settings of `verification`.
#[derive(Deserialize, JsonSchema)]
pub(super) struct WrittenSettings {
    /// The lowest score that passes. Default: 0.9. `verification: 0.8` is the short form, and `true` uses all defaults.
    #[serde(default, deserialize_with = "even_null")]
    threshold: Option<ShareOrUsual>,
    /// `true`: any unsupported claim makes the score 0, and the threshold is 1. Default: `false`.
    strict: Option<bool>,
    /// The evidence for the score. Default: `trace` if the run has calls.
    profile: Option<Profile>,
    /// The effect of an unsupported claim.
    on_violation: Option<OnViolation>,
    /// The quality gates that the project has. They share the points. Default: all.
    gates: Option<Vec<QualityGate>>,
    /// Names or globs of tools, added to the known ones.
    tools: Option<AddedTools>,
    /// Shell lines, added to the known ones: `just ci*`, `mvn ... verify`.
    commands: Option<AddedCommands>,
    /// Phrases that state a verification, added to the known ones: `should|would now? hold`.
    keywords: Option<Vec<String>>,
    /// Phrases that are guesses, added to the known ones.
    claims: Option<Vec<String>>,
}

/// Names or globs of tools, by what the tools do.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct AddedTools {
    /// Tools that change files.
    edit: Option<Vec<ToolPattern>>,
    /// Tools that read files.
    read: Option<Vec<ToolPattern>>,
    /// Tools that search.
    search: Option<Vec<ToolPattern>>,
    /// Tools that run commands.
    shell: Option<Vec<ToolPattern>>,
    /// Tools that run tests.
    test: Option<Vec<ToolPattern>>,
    /// Tools that run a type checker.
    r#type: Option<Vec<ToolPattern>>,
    /// Tools that run a linter.
    lint: Option<Vec<ToolPattern>>,
    /// Tools that measure coverage.
    coverage: Option<Vec<ToolPattern>>,
    /// Tools that deploy.
    deploy: Option<Vec<ToolPattern>>,
    /// Tools that check whether a deployment is healthy.
    health: Option<Vec<ToolPattern>>,
    /// Tools that prove nothing.
    ignore: Option<Vec<ToolPattern>>,
    /// Editors whose result shows what they wrote.
    self_verifying: Option<Vec<ToolPattern>>,
}

/// Shell lines, by what they do.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct AddedCommands {
    /// Lines that run tests.
    test: Option<Vec<String>>,
    /// Lines that run a type checker.
    r#type: Option<Vec<String>>,
    /// Lines that run a linter.
    lint: Option<Vec<String>>,
    /// Lines that measure coverage.
    coverage: Option<Vec<String>>,
    /// Lines that deploy.
    deploy: Option<Vec<String>>,
    /// Lines that check whether a deployment is healthy.
    health: Option<Vec<String>>,
}

impl AddedTools {
    fn list_by_kind(self) -> impl Iterator<Item = (ToolKind, ToolPattern)> {
        let by_kind = [
            (ToolKind::Edit, self.edit),
            (ToolKind::Read, self.read),
            (ToolKind::Search, self.search),
            (ToolKind::Shell, self.shell),
            (ToolKind::Bystander, self.ignore),
            (ToolKind::Run(Purpose::Test), self.test),
            (ToolKind::Run(Purpose::Type), self.r#type),
            (ToolKind::Run(Purpose::Lint), self.lint),
            (ToolKind::Run(Purpose::Coverage), self.coverage),
            (ToolKind::Run(Purpose::Deploy), self.deploy),
            (ToolKind::Run(Purpose::Health), self.health),
        ];
        by_kind
            .into_iter()
            .flat_map(|(kind, tools)| tools.into_iter().flatten().map(move |tool| (kind, tool)))
    }
}

impl AddedCommands {
    fn list_by_purpose(self) -> impl Iterator<Item = (Purpose, CommandPattern)> {
        let by_purpose = [
            (Purpose::Test, self.test),
            (Purpose::Type, self.r#type),
            (Purpose::Lint, self.lint),
            (Purpose::Coverage, self.coverage),
            (Purpose::Deploy, self.deploy),
            (Purpose::Health, self.health),
        ];
        by_purpose.into_iter().flat_map(|(purpose, lines)| {
            let lines = lines.into_iter().flatten();
            lines.filter_map(move |line| Some((purpose, CommandPattern::new(&line)?)))
        })
    }
}
