//! What the settings of a check must be. With the feature `schema` they describe themselves, for editors.

/// The function that writes the JSON Schema of a kind's settings.
#[cfg(feature = "schema")]
pub(crate) type SettingsSchema = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// The settings of a check. With the feature `schema` these are the types that derive `JsonSchema`; without it, all
/// types.
#[cfg(feature = "schema")]
pub trait CheckSettings: schemars::JsonSchema {}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> CheckSettings for T {}

/// The settings of a check. With the feature `schema` these are the types that derive `JsonSchema`; without it, all
/// types.
#[cfg(not(feature = "schema"))]
pub trait CheckSettings {}

#[cfg(not(feature = "schema"))]
impl<T> CheckSettings for T {}
