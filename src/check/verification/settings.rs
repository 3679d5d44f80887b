//! The settings: a threshold, a profile, and what is added to the tables.

use super::answer::claim::{HEDGES, KEYWORDS};
use super::answer::words::Phrases;
use super::event::Tables;
use super::purpose::{Pattern, Purpose};
use super::tools::Tool;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, Value};

/// What the metric asks for when nothing is said.
const THRESHOLD: f64 = 0.9;

/// What the score is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    /// The words of the final answer.
    Text,
    /// The calls, and what the answer says of them.
    Trace,
}

/// What an unsupported statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnViolation {
    /// It fails the trial.
    #[default]
    Fail,
    /// It costs its points.
    Score,
}

/// A quality gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Gate {
    Type,
    Lint,
    Coverage,
}

impl From<Gate> for Purpose {
    fn from(gate: Gate) -> Self {
        match gate {
            Gate::Type => Self::Type,
            Gate::Lint => Self::Lint,
            Gate::Coverage => Self::Coverage,
        }
    }
}

/// Phrases that are looked for in the answer.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// Statements of verification.
    pub(super) keywords: Phrases,
    /// Guesses.
    pub(super) hedges: Phrases,
}

/// Settings of `verification`.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) threshold: f64,
    pub(super) strict: bool,
    /// None: by the trace.
    pub(super) profile: Option<Profile>,
    pub(super) on_violation: OnViolation,
    /// Which gates count.
    pub(super) gates: Vec<Purpose>,
    pub(super) tables: Tables,
    pub(super) lexicon: Lexicon,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: THRESHOLD,
            strict: false,
            profile: None,
            on_violation: OnViolation::Fail,
            gates: vec![Purpose::Type, Purpose::Lint, Purpose::Coverage],
            tables: Tables::default(),
            lexicon: Lexicon {
                keywords: Phrases::new(KEYWORDS.iter().copied()),
                hedges: Phrases::new(HEDGES.iter().copied()),
            },
        }
    }
}

impl Settings {
    /// The settings that `node` says: a mapping; `true` and nothing say the usual ones.
    pub(super) fn read(node: Node<'_>) -> Result<Self, LoadErrors> {
        let mut settings = Self::default();
        if matches!(node.value(), Value::Bool(true) | Value::Null) {
            return Ok(settings);
        }
        let mut fields = Fields::of(node, "`verification`")
            .map_err(|error| error.help("write `true`, a threshold, or settings: `{strict: true}`"))?;
        if let Some(threshold) = fields.node("threshold").and_then(|node| fields.take(threshold(node))) {
            settings.threshold = threshold;
        }
        settings.strict = fields.optional("strict").unwrap_or(false);
        settings.threshold = if settings.strict { 1.0 } else { settings.threshold };
        settings.profile = fields.optional("profile");
        settings.on_violation = fields.optional("on_violation").unwrap_or_default();
        if let Some(gates) = fields.list::<Gate>("gates") {
            settings.gates = distinct(gates);
        }
        settings.read_tables(&mut fields);
        fields.finish(settings)
    }

    fn read_tables(&mut self, fields: &mut Fields<'_>) {
        if let Some(node) = fields.node("tools") {
            fields.take(tools(node, &mut self.tables));
        }
        if let Some(node) = fields.node("commands") {
            fields.take(commands(node, &mut self.tables));
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
fn threshold(node: Node<'_>) -> Result<f64, LoadError> {
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

fn distinct(gates: Vec<Gate>) -> Vec<Purpose> {
    let mut found: Vec<Purpose> = Vec::new();
    for gate in gates.into_iter().map(Purpose::from) {
        if !found.contains(&gate) {
            found.push(gate);
        }
    }
    found
}

fn tools(node: Node<'_>, tables: &mut Tables) -> Result<(), LoadErrors> {
    const KINDS: &[(&str, Tool)] = &[
        ("edit", Tool::Edit),
        ("read", Tool::Read),
        ("search", Tool::Search),
        ("shell", Tool::Shell),
        ("test", Tool::Run(Purpose::Test)),
        ("type", Tool::Run(Purpose::Type)),
        ("lint", Tool::Run(Purpose::Lint)),
        ("coverage", Tool::Run(Purpose::Coverage)),
        ("deploy", Tool::Run(Purpose::Deploy)),
        ("health", Tool::Run(Purpose::Health)),
        ("ignore", Tool::Bystander),
    ];
    let mut fields = Fields::of(node, "`tools`")?;
    for (key, tool) in KINDS {
        let names = fields.list::<ToolPattern>(key).unwrap_or_default();
        tables.tools.extend(names.into_iter().map(|name| (*tool, name)));
    }
    tables.self_verifying = fields.list("self_verifying").unwrap_or_default();
    fields.finish(())
}

fn commands(node: Node<'_>, tables: &mut Tables) -> Result<(), LoadErrors> {
    const KINDS: &[(&str, Purpose)] = &[
        ("test", Purpose::Test),
        ("type", Purpose::Type),
        ("lint", Purpose::Lint),
        ("coverage", Purpose::Coverage),
        ("deploy", Purpose::Deploy),
        ("health", Purpose::Health),
    ];
    let mut fields = Fields::of(node, "`commands`")?;
    for (key, purpose) in KINDS {
        let lines = fields.list::<String>(key).unwrap_or_default();
        tables.commands.extend(lines.iter().filter_map(|line| Some((*purpose, Pattern::new(line)?))));
    }
    fields.finish(())
}
