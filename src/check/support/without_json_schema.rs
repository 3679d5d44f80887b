//! Replaces the checks that need JSON Schema when the crate is built without it: a case that asks for one of them is
//! rejected with an error that names the feature.

use super::missing_feature::report_missing_feature;
use crate::check::{Kind, Read};

/// Replaces the module of this name.
pub(crate) mod args_valid {
    pub(crate) const PLAIN_NOTES: [&str; 0] = [];
    pub(crate) const KIND: super::Kind = super::Kind::undescribed(
        "args_valid",
        "the arguments of each call are valid for its tool",
        super::REFUSE,
    );
}

/// Replaces the module of this name.
pub(crate) mod json_schema {
    pub(crate) const KIND: super::Kind = super::Kind::undescribed(
        "json_schema",
        "the final answer is JSON that satisfies this schema",
        super::REFUSE,
    )
    .shorthand("schema");
}

/// Replaces the module of this name.
pub(crate) mod tool_output_valid {
    pub(crate) const KIND: super::Kind =
        super::Kind::undescribed("tool_output_valid", "each result is valid for its tool", super::REFUSE);
}

const REFUSE: Read = |node, _scope| Err(report_missing_feature(node, "json-schema").into());
