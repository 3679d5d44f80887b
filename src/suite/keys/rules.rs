//! How the keys of a case behave beside the defaults of a suite.

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

/// The keys of a case with a combination other than [`Combination::Replace`].
pub(crate) const RULES: &[(&str, Combination)] = &[
    ("metadata", Combination::Merge),
    ("include", Combination::Add),
    ("mocks", Combination::Merge),
    ("workspace", Combination::Merge),
    ("tags", Combination::Add),
    ("require_calls", Combination::ReplaceGate),
    ("require_exercised", Combination::ReplaceGate),
    ("mutate", Combination::Inside(&[("ignore", Combination::Add)])),
    ("metric", Combination::ReplaceGate),
    ("expect", Combination::Add),
    ("eval", Combination::Inside(EVAL)),
    ("extract", Combination::Add),
    ("expected", Combination::Inside(EXPECTED)),
    ("thresholds", Combination::Merge),
    ("weights", Combination::Merge),
    ("sequence_required", Combination::ReplaceGate),
    ("checks", Combination::Merge),
    ("turns", Combination::ReplaceGate),
    ("baseline", Combination::ReplaceGate),
    ("expected_tools", Combination::ReplaceGate),
    ("expected_fields", Combination::ReplaceGate),
    ("criteria", Combination::ReplaceGate),
    ("pass_threshold", Combination::ReplaceGate),
    ("forbidden_substrings", Combination::Add),
    ("refusal_expected", Combination::ReplaceGate),
    ("verification", Combination::ReplaceGate),
];

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

/// The keys of a case that a suite says for each of its cases.
pub(crate) const SHARED_BY_SUITE: &[&str] = &[
    "include",
    "agent",
    "mocks",
    "workspace",
    "allow_vacuous",
    "require_calls",
    "require_exercised",
    "mutate",
    "weights",
];

/// The other names of keys of a case, each with its key.
pub(crate) const ALIASES: &[(&str, &str)] = &[("name", "id"), ("prompt", "input")];
