//! What a suite says for all its cases, and checks look up when their settings are read.

use crate::yaml::Fields;

/// The tables of one suite.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Tables {}

impl Tables {
    /// These tables with what a suite, or `arraign.yaml`, adds to them.
    pub fn extended(&self, _fields: &mut Fields<'_>) -> Self {
        self.clone()
    }
}
