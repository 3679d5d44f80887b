//! `arraign.yaml` at the eval root: what all suites share.

use super::discover::WORKSPACE_FILE;
use super::keys;
use crate::place::LoadErrors;
use crate::source::Files;
use crate::yaml::Fields;

/// Keys that belong to blocks which this version does not read.
const UNSUPPORTED: &[&str] =
    &["agents", "field_aliases", "judge", "prices", "tool_categories", "verification", "weights"];

/// Reads the file, if there is one. This version shares nothing yet: it says so of each key, so that nobody takes a
/// setting for one that is in force.
pub fn workspace(files: &Files) -> Result<(), LoadErrors> {
    let path = files.root().join(WORKSPACE_FILE);
    if !files.exists(&path) {
        return Ok(());
    }
    let document = files.document(&path)?;
    let mut fields = Fields::of(document.root(), "`arraign.yaml`")?;
    keys::refuse_unsupported(&mut fields, UNSUPPORTED);
    fields.finish(())
}
