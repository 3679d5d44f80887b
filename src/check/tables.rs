//! What a suite says for all its cases, and checks look up when their settings are read.

/// The tables of one suite.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tables {}
