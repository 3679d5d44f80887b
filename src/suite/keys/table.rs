//! The keys of suites and of `arraign.yaml`, as editors show them.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

use crate::case::AgentLimits;
use crate::check::support::forms::{ExpectEntry, VerificationSettings};
use crate::check::support::reading::Share;
use crate::check::{
    CheckSettings, InputMatch, ModelPrice, WrittenFailures, WrittenJudge, WrittenReaders, WrittenWeights,
};
use crate::json::Json;
use crate::suite::agent::WrittenDescription;
use crate::suite::gate::{self, WrittenGate};
use crate::suite::header::Output;
use crate::suite::variants::{WrittenMatrix, WrittenVariant};
use crate::yaml::{FileSize, Label, MappingOr, OneOrMany};

/// A key that users write in a suite or in `arraign.yaml`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteKey {
    pub(crate) name: &'static str,
    /// The meaning of the key.
    pub(crate) meaning: &'static str,
    /// The form of its value.
    pub(crate) schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

/// A key with a value of the form `T`.
const fn key<T: CheckSettings>(name: &'static str, meaning: &'static str) -> SuiteKey {
    SuiteKey { name, meaning, schema: schemars::SchemaGenerator::subschema_for::<T> }
}

/// The keys of a suite, without [`TABLES`] and the keys that it shares with [`CASE`].
pub(crate) const SUITE: &[SuiteKey] = &[
    key::<String>("suite", "The name of the suite, for people."),
    key::<Label>("version", "A version of the file, for people."),
    key::<String>("description", "A description, for people."),
    key::<Vec<Json>>("tests", "The cases."),
    key::<Vec<Json>>("cases", "Another name of `tests`."),
    key::<Vec<Json>>("scenarios", "Another name of `tests`."),
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
pub(crate) const TABLES: &[SuiteKey] = &[
    key::<BTreeMap<String, OneOrMany<String>>>(
        "tool_categories",
        "Categories of tools, added to the built-in ones.",
    ),
    key::<BTreeMap<String, Vec<ExpectEntry>>>(
        "criteria",
        "Checks by the names that golden rows give their `criteria`.",
    ),
    key::<BTreeMap<String, Vec<String>>>("field_aliases", "Other words that count as a field, by field."),
    key::<BTreeMap<String, ModelPrice>>("prices", "US dollars per million tokens, by model."),
    key::<WrittenReaders>(
        "readers",
        "Readers for formats that no built-in reader knows: declarations by name, or a list with the names of shipped ones.",
    ),
    key::<String>(
        "format",
        "The format of recorded runs that do not show it: it says that their writer records calls.",
    ),
    key::<WrittenFailures>(
        "failed_when",
        "Which results of tools are failures, where the format of the trace does not say.",
    ),
    key::<InputMatch>(
        "input_match",
        "Which text of the user in a run is compared with the input of its case: `first`, `last`, `any`, `contains` or `false`. That of an agent counts before the one in `arraign.yaml`.",
    ),
    key::<MappingOr<VerificationSettings, Share>>(
        "verification",
        "The settings of `verification` for all cases.",
    ),
    key::<WrittenJudge>("judge", "The judge, which answers the questions that no rule can decide."),
];

/// The keys of `arraign.yaml`, without [`TABLES`].
pub(crate) const WORKSPACE: &[SuiteKey] = &[
    key::<WrittenWeights>("weights", "The weight of each part of the score."),
    key::<BTreeMap<String, WrittenDescription>>("agents", "Agents by name, for the key `agent` of cases."),
    key::<BTreeMap<String, WrittenVariant>>(
        "variants",
        "Variants of the agents by name, for `ARRAIGN_VARIANT`: what each of them changes.",
    ),
    key::<WrittenMatrix>(
        "matrix",
        "Values of variables, of which each combination is a variant: `{MODEL: [large, small]}`.",
    ),
    key::<AgentLimits>(
        "agent_limits",
        "The limits on agents that run: `{at_once: 4, per_minute: 30, budget_usd: 2.5}`. Under nextest they apply to all processes together.",
    ),
    key::<FileSize>("size_limit", "The maximum size of a file, such as `200 MB`. Default: `64 MiB`."),
    key::<Vec<String>>(
        "roots",
        "Folders outside of the folder of cases whose files cases may name, relative to it, such as `../../traces`. They are in the same repository, unless a flag or the harness allows others.",
    ),
    key::<NonZeroUsize>(
        "keep_runs",
        "The number of runs whose verdicts are kept in `target/arraign`. Default: 20.",
    ),
    key::<NonZeroU32>(
        "quarantine_days",
        "The most days that an entry of `quarantine.yaml` may be ahead. Default: 30.",
    ),
];
