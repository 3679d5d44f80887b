//! What is not compiled in.

/// Returns the command that adds a feature of arraign to a package, and keeps what its manifest says of arraign so far.
pub(crate) fn suggest_feature(feature: &str) -> String {
    format!("`cargo add --dev arraign --features {feature}`")
}
