//! What stands in for the checks that need JSON Schema when the crate is built without it: a case that asks for
//! one of them learns which feature is missing, instead of that there is no such check.

use crate::check::{Kind, Read};

/// Stands in for the module of this name.
pub(crate) mod args_valid {
    pub(crate) const KIND: super::Kind = super::Kind::undescribed(
        "args_valid",
        "each call's arguments are what its tool takes",
        super::REFUSE,
    );
}

/// Stands in for the module of this name.
pub(crate) mod json_schema {
    pub(crate) const KIND: super::Kind =
        super::Kind::undescribed("json_schema", "the final answer is JSON of this schema", super::REFUSE)
            .shorthand("schema");
}

/// Stands in for the module of this name.
pub(crate) mod tool_output_valid {
    pub(crate) const KIND: super::Kind = super::Kind::undescribed(
        "tool_output_valid",
        "each result is what its tool should return",
        super::REFUSE,
    );
}

/// The line for the manifest.
const IN_MANIFEST: &str = concat!(
    "in Cargo.toml: `arraign = { version = \"",
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR"),
    "\", features = [\"json-schema\"] }`"
);

const REFUSE: Read = |node, _scope| {
    let error = node.error("this check needs arraign's feature `json-schema`");
    Err(error.help(IN_MANIFEST).into())
};
