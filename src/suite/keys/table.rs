//! The table of keys: what the loader knows, what editors show on hover, and what the page of cases lists.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

use arraign_trace::reader::ReaderDeclaration;

use crate::case::AgentLimits;
use crate::case::Tier;
use crate::check::support::forms::{Texts, Time};
use crate::check::{CheckSettings, Said, SameTurn};
use crate::json::Json;
use crate::outcome::Status;
use crate::suite::agent::{WrittenAgent, WrittenDescription};
use crate::suite::forms::{
    AdapterConfig, Amount, CaseInput, Eval, Expected, ExtractSettings, FailedResults, FileSize, FlagOrReason,
    InputMatch, Judge, Label, OutputAssertions, Price, Share, Switches, Thresholds, Trace, Turn,
    Verification, Weights,
};
use crate::suite::gate::{self, WrittenGate};
use crate::suite::header::Output;
use crate::suite::input::WrittenStop;
use crate::suite::mocks::WrittenMocks;
use crate::suite::mutation::WrittenMutate;
use crate::suite::opinions::WrittenOpinion;
use crate::suite::several::{Changes, WrittenBaseline};
use crate::yaml::Checked;

/// A key that users write in a case, in a suite or in `arraign.yaml`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteKey {
    pub(crate) name: &'static str,
    /// The meaning of the key.
    #[cfg(feature = "schema")]
    pub(crate) meaning: &'static str,
    /// The form of its value.
    #[cfg(feature = "schema")]
    pub(crate) schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
    /// The key of which this is another name.
    pub(crate) alias_of: Option<&'static str>,
    /// Whether a suite says it for each of its cases.
    pub(crate) shared_by_suite: bool,
    /// How a default and the value of a case become one.
    pub(crate) combination: Combination,
}

/// How a default of a suite and the value of a case become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combination {
    /// The value of the case.
    Replace,
    /// The value of the case. `cargo arraign lint` lists it: something of the suite is no longer checked.
    ReplaceGate,
    /// The entries of both lists. Their order means nothing, so that a gate of the suite holds for every case.
    Add,
    /// The keys of both mappings. The case decides about a key that both have.
    Merge,
    /// A mapping whose keys combine in ways of their own. A key that is not listed is a gate.
    Inside(&'static [(&'static str, Combination)]),
}

/// A key with a value of the form `T`.
#[cfg_attr(
    not(feature = "schema"),
    expect(
        unused_variables,
        clippy::extra_unused_type_parameters,
        reason = "only the schema shows the meaning and the form"
    )
)]
const fn key<T: CheckSettings>(name: &'static str, meaning: &'static str) -> SuiteKey {
    SuiteKey {
        name,
        #[cfg(feature = "schema")]
        meaning,
        #[cfg(feature = "schema")]
        schema: schemars::SchemaGenerator::subschema_for::<T>,
        alias_of: None,
        shared_by_suite: false,
        combination: Combination::Replace,
    }
}

impl SuiteKey {
    /// The key is another name of `name`.
    const fn alias_of(self, name: &'static str) -> Self {
        Self { alias_of: Some(name), ..self }
    }

    /// A suite says it for each of its cases.
    const fn shared(self) -> Self {
        Self { shared_by_suite: true, ..self }
    }

    /// A default and the value of a case become one in this way.
    const fn combined(self, combination: Combination) -> Self {
        Self { combination, ..self }
    }
}

/// The keys of `eval` that combine in another way than by replacement.
const EVAL: &[(&str, Combination)] = &[
    ("agent_assertions", Combination::Add),
    ("response_assertions", Combination::Add),
    ("tool_constraints", Combination::Inside(&[("forbidden_tools", Combination::Add)])),
];

/// The keys of `expected` that combine in another way than by replacement.
const EXPECTED: &[(&str, Combination)] = &[
    ("forbidden_tools", Combination::Add),
    (
        "output",
        Combination::Inside(&[
            ("contains", Combination::Add),
            ("not_contains", Combination::Add),
            ("regex", Combination::Add),
            ("regex_patterns", Combination::Add),
        ]),
    ),
];

/// Settings beside a `metric` that combine in another way than by replacement.
pub(crate) const METRIC_SETTINGS: &[(&str, Combination)] =
    &[("blocked", Combination::Add), ("blocklist", Combination::Add)];

/// The keys of a case.
pub(crate) const CASE: &[SuiteKey] = &[
    key::<Label>("id", "The name of the trial below its file. Required where a file contains several cases."),
    key::<Label>("name", "Another name of `id`.").alias_of("id"),
    key::<String>("description", "A description, for people."),
    key::<BTreeMap<String, Json>>(
        "metadata",
        "Data of your own, such as an owner or a ticket. No check reads it, and the verdict contains it.",
    )
    .combined(Combination::Merge),
    key::<String>("cases", "A CSV file: each line is a trial, and `{{column}}` in the case is its value."),
    key::<Vec<BTreeMap<String, Json>>>(
        "each",
        "The same rows in the case: `[{column: value}]`. Their values keep their types.",
    ),
    key::<Texts>(
        "include",
        "Files with keys of a case, which are combined with it like the defaults of a suite.",
    )
    .shared().combined(Combination::Add),
    key::<CaseInput>("input", "What the agent is asked."),
    key::<CaseInput>("prompt", "Another name of `input`.").alias_of("input"),
    key::<Checked<WrittenStop>>(
        "stop_when",
        "`{contains: text}` or `{regex: pattern}`: the answer that ends the turns early.",
    ),
    key::<InputMatch>(
        "input_match",
        "Which text of the user in a run must be the input, or hold it as lines of its own: `first`, `last` or `any`. `contains`: some text has it anywhere. `false`: a run for another input counts as well. Default: `first`.",
    ),
    key::<Trace>(
        "trace",
        "The recorded run: a file, `{file, format, run, each}`, or the run itself. Default: the file `traces/<id>.*` beside this one.",
    ),
    key::<String>(
        "format",
        "The format of recorded runs that do not show it, such as a list of roles and texts: it says that their writer records calls.",
    ),
    key::<FailedResults>(
        "failed_when",
        "Which results of tools are failures, where the format of the trace does not say: `never`, a matcher such as `{matches: \"/^Error/\"}`, or one for each tool.",
    ),
    key::<WrittenAgent>("agent", "The agent that runs and is recorded: a name from `agents`, or the agent itself.").shared(),
    key::<WrittenMocks>("mocks", "The tools that arraign's own MCP server offers to the agent, and their answers.")
        .shared()
        .combined(Combination::Merge),
    key::<Tier>(
        "tier",
        "When the case runs: `ARRAIGN_TIER=smoke` runs only the smoke cases. Default: `full`.",
    ),
    key::<Texts>("tags", "Tags. `ARRAIGN_TAGS` selects cases by them.").combined(Combination::Add),
    key::<FlagOrReason>("ignore", "`true`: the trial is skipped. A text gives the reason."),
    key::<Time>(
        "timeout",
        "The time limit of the trial: `3s`, `500ms`, or milliseconds. Default: 60 seconds for reading and checks; agents and judges have limits of their own.",
    ),
    key::<NonZeroU32>("repeat", "The number of recorded runs. The median of their scores decides."),
    key::<Status>("expect_verdict", "The expected verdict. Default: `pass`."),
    key::<bool>("snapshot", "`true`: pins the violations in a snapshot. A run with other violations fails."),
    key::<bool>("allow_vacuous", "`true`: a case that cannot fail is accepted.").shared(),
    key::<bool>(
        "inherit",
        "`false`: the defaults of the suite do not apply to the case. Default: `true`.",
    ),
    key::<bool>("require_calls", "`true`: a run without calls fails.").shared().combined(Combination::ReplaceGate),
    key::<bool>("require_exercised", "`true`: a rule that no call of the run exercises fails the trial.")
        .shared().combined(Combination::ReplaceGate),
    key::<WrittenMutate>(
        "mutate",
        "Changes of the run that `cargo arraign mutate` does not report for the case: `{ignore: [get_order.*, duplicate]}`.",
    )
    .shared().combined(Combination::Inside(&[("ignore", Combination::Add)])),
    key::<SameTurn>("same_turn", "Whether two calls of one turn count as ordered."),
    key::<BTreeMap<String, Checked<WrittenOpinion>>>(
        "opinions",
        "A judge's opinions by label. They replace the answers of a judge.",
    ),
    key::<String>("metric", "The check. Its settings are keys beside `metric`.").combined(Combination::ReplaceGate),
    key::<Vec<Json>>("expect", "A list of checks. Each entry is one check with its settings.").combined(Combination::Add),
    key::<Eval>("eval", "MCPLab's keys: tools, their order and arguments, and assertions about the final answer.").combined(Combination::Inside(EVAL)),
    key::<Vec<ExtractSettings>>(
        "extract",
        "Values that are extracted from the final answer, with optional bounds.",
    ).combined(Combination::Add),
    key::<Expected>("expected", "EvalView's keys: a hard gate and a weighted score.").combined(Combination::Inside(EXPECTED)),
    key::<Thresholds>("thresholds", "The lowest score that passes, and limits on cost and time.").combined(Combination::Merge),
    key::<Weights>("weights", "The weight of each part of the score.").shared().combined(Combination::Merge),
    key::<OutputAssertions>("output_assertions", "The effect of a violated assertion in `output`."),
    key::<AdapterConfig>("adapter_config", "How the calls are compared with the sequence."),
    key::<bool>("sequence_required", "`true`: a violated sequence fails the case, whatever the score.").combined(Combination::ReplaceGate),
    key::<Switches>("checks", "Checks of the answer that are enabled.").combined(Combination::Merge),
    key::<Amount>(
        "max_unsupported",
        "How much of the answer may be unsupported: a count from 1, or a share below 1.",
    ),
    key::<Vec<Turn>>("turns", "The turns of the conversation, each with its own expectations.").combined(Combination::ReplaceGate),
    key::<WrittenBaseline>("baseline", "A recorded run with which this run is compared.").combined(Combination::ReplaceGate),
    key::<Checked<Changes>>("baseline_fail_on", "The differences from the baseline that fail the case."),
    key::<Vec<String>>(
        "expected_tools",
        "The expected tools. A tool that is listed twice counts twice. Without any, the score is 1, and the verdict has a note.",
    ).combined(Combination::ReplaceGate),
    key::<Vec<String>>("expected_fields", "The fields that the answer should contain.").combined(Combination::ReplaceGate),
    key::<BTreeMap<String, bool>>(
        "criteria",
        "`grounded`, `tool_called`, or the name of a check that the project registers.",
    ).combined(Combination::ReplaceGate),
    key::<BTreeMap<String, Vec<String>>>("field_aliases", "Other words that count as a field, by field."),
    key::<Said>("answer", "The text that counts as the answer."),
    key::<Share>("pass_threshold", "The lowest score that passes. Default: 0.7.").combined(Combination::ReplaceGate),
    key::<Vec<String>>("forbidden_substrings", "Texts that the answer must not contain.").combined(Combination::Add),
    key::<bool>("refusal_expected", "Whether the agent must refuse.").combined(Combination::ReplaceGate),
    key::<String>("attack_type", "A label for the attack."),
    key::<Verification>(
        "verification",
        "Checks that the agent verified its work: `true`, a threshold, or settings.",
    ).combined(Combination::ReplaceGate),
];

/// The keys of a suite, without [`TABLES`] and the keys that it shares with [`CASE`].
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "only the schema lists them"))]
pub(crate) const SUITE: &[SuiteKey] = &[
    key::<String>("suite", "The name of the suite, for people."),
    key::<Label>("version", "A version of the file, for people."),
    key::<String>("description", "A description, for people."),
    key::<Vec<Json>>("tests", "The cases."),
    key::<Vec<Json>>("cases", "Another name of `tests`.").alias_of("tests"),
    key::<Vec<Json>>("scenarios", "Another name of `tests`.").alias_of("tests"),
    key::<String>("dataset", "A file with the rows of the suite. That file is then not a suite itself."),
    key::<Json>("defaults", "Keys of a case, which apply to all cases."),
    key::<Output>("output", "The reports that a run writes, beside those of `ARRAIGN_REPORT`."),
    key::<WrittenGate>(
        "gate",
        "The mean score that the cases must reach. Adds the trial `<file>::pass_threshold`.",
    ),
    key::<gate::WrittenBaseline>(
        "summary_baseline",
        "An earlier summary, which the means of the cases are compared with.",
    ),
];

/// The keys that a suite and `arraign.yaml` have: what checks look up.
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "only the schema lists them"))]
pub(crate) const TABLES: &[SuiteKey] = &[
    key::<BTreeMap<String, Texts>>("tool_categories", "Categories of tools, added to the built-in ones."),
    key::<BTreeMap<String, Vec<String>>>("field_aliases", "Other words that count as a field, by field."),
    key::<BTreeMap<String, Price>>("prices", "US dollars per million tokens, by model."),
    key::<BTreeMap<String, ReaderDeclaration>>(
        "readers",
        "Readers for formats that no built-in reader knows, by name.",
    ),
    key::<String>(
        "format",
        "The format of recorded runs that do not show it: it says that their writer records calls.",
    ),
    key::<FailedResults>(
        "failed_when",
        "Which results of tools are failures, where the format of the trace does not say.",
    ),
    key::<InputMatch>(
        "input_match",
        "Which text of the user in a run is compared with the input of its case: `first`, `last`, `any`, `contains` or `false`. That of an agent counts before the one in `arraign.yaml`.",
    ),
    key::<Verification>("verification", "The settings of `verification` for all cases."),
    key::<Judge>("judge", "The judge, which answers the questions that no rule can decide."),
];

/// The keys of `arraign.yaml`, without [`TABLES`].
#[cfg_attr(not(feature = "schema"), expect(dead_code, reason = "only the schema lists them"))]
pub(crate) const WORKSPACE: &[SuiteKey] = &[
    key::<Weights>("weights", "The weight of each part of the score."),
    key::<BTreeMap<String, WrittenDescription>>("agents", "Agents by name, for the key `agent` of cases."),
    key::<AgentLimits>(
        "agent_limits",
        "The limits on agents that run: `{at_once: 4, per_minute: 30, budget_usd: 2.5}`. Under nextest they apply to all processes together.",
    ),
    key::<FileSize>("size_limit", "The maximum size of a file, such as `200 MB`. Default: `64 MiB`."),
    key::<NonZeroUsize>(
        "keep_runs",
        "The number of runs whose verdicts are kept in `target/arraign`. Default: 20.",
    ),
];
