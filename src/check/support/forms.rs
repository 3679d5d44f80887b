//! Values that several settings have in common, and references to settings that the schema describes in one place.

use std::collections::BTreeMap;

use crate::json::JsonMap;
use crate::yaml::MappingOr;

/// A JSON Schema: a mapping, `true` or `false`.
pub(crate) type InlineSchema = MappingOr<JsonMap, bool>;

/// A JSON Schema, or a file that contains one.
pub(crate) type SchemaOrFile = MappingOr<JsonMap, MappingOr<String, bool>>;

/// The JSON Schema of each tool or argument.
pub(crate) type SchemasByName = BTreeMap<String, InlineSchema>;

/// A policy, or a file that contains one.
pub(crate) type PolicyOrFile = MappingOr<JsonMap, String>;

/// Declares types that stand for what the schema defines at a pointer of its own, and refer to it.
macro_rules! refer_to_definitions {
    ($($(#[doc = $meaning:literal])* $name:ident = $pointer:literal,)*) => {$(
        $(#[doc = $meaning])*
        pub(crate) enum $name {}

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"$ref": $pointer})
            }
        }
    )*};
}

refer_to_definitions! {
    /// One check with its settings, as in a list under `expect`.
    ExpectEntry = "#/definitions/entry_of_expect",
    /// The settings of `agent_check`.
    AgentCheckSettings = "#/definitions/checks/agent_check",
    /// The settings of `extract`.
    ExtractSettings = "#/definitions/checks/extract",
    /// The settings of `forbidden_tools`.
    ForbiddenToolsSettings = "#/definitions/checks/forbidden_tools",
    /// The settings of `required_tools`.
    RequiredToolsSettings = "#/definitions/checks/required_tools",
    /// The settings of `tool_input`.
    ToolInputSettings = "#/definitions/checks/tool_input",
    /// The settings of `tool_sequence`.
    ToolSequenceSettings = "#/definitions/checks/tool_sequence",
    /// The settings of `verification`.
    VerificationSettings = "#/definitions/checks/verification",
}
