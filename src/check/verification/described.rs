//! The settings of `verification` as users write them, for their schema.
#![expect(dead_code, reason = "describes settings that are read by hand, with their places")]

use super::settings::{OnViolation, Profile, QualityGate};

/// Settings of `verification`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct VerificationSchema {
    /// The lowest score that passes. Default: 0.9. `verification: 0.8` is the short form, and `true` uses all defaults.
    threshold: Option<ThresholdOrUsual>,
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

/// A share; `true` and null are the usual one.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(schema_with = "describe_share", inline)
)]
struct ThresholdOrUsual;

#[cfg(feature = "schema")]
fn describe_share(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"enum": [true, null]}]})
}

/// Names or globs of tools, by what the tools do.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, deny_unknown_fields))]
struct AddedTools {
    /// Tools that change files.
    edit: Option<Vec<String>>,
    /// Tools that read files.
    read: Option<Vec<String>>,
    /// Tools that search.
    search: Option<Vec<String>>,
    /// Tools that run commands.
    shell: Option<Vec<String>>,
    /// Tools that run tests.
    test: Option<Vec<String>>,
    /// Tools that run a type checker.
    r#type: Option<Vec<String>>,
    /// Tools that run a linter.
    lint: Option<Vec<String>>,
    /// Tools that measure coverage.
    coverage: Option<Vec<String>>,
    /// Tools that deploy.
    deploy: Option<Vec<String>>,
    /// Tools that check whether a deployment is healthy.
    health: Option<Vec<String>>,
    /// Tools that prove nothing.
    ignore: Option<Vec<String>>,
    /// Editors whose result shows what they wrote.
    self_verifying: Option<Vec<String>>,
}

/// Shell lines, by what they do.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, deny_unknown_fields))]
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
