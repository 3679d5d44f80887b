//! Where verdicts and reports lie.

use std::env;
use std::path::{Path, PathBuf};

/// `ARRAIGN_OUT`, else `arraign` in the target folder: that of `CARGO_TARGET_DIR`, else the nearest one that a run has
/// written to.
pub(crate) fn out() -> PathBuf {
    let variable = |name| env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let of_target = || variable("CARGO_TARGET_DIR").map(|target| target.join("arraign"));
    variable("ARRAIGN_OUT").or_else(of_target).unwrap_or_else(nearest)
}

/// A package of a workspace shares its target folder with the others.
fn nearest() -> PathBuf {
    let usual = Path::new("target").join("arraign");
    let here = env::current_dir().unwrap_or_default();
    let below = here.ancestors().map(|folder| folder.join(&usual)).find(|folder| folder.is_dir());
    below.unwrap_or(usual)
}
