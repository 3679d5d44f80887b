//! The folder of verdicts and reports.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::error::print_to_stderr;

/// The folder in a package without a target folder of its own.
const USUAL_OUT_FOLDER: &str = "target/arraign";

/// Returns `ARRAIGN_OUT`, or else the folder `arraign` in the target folder: in `CARGO_TARGET_DIR`, or else in the
/// nearest target folder with such a folder. One that belongs to a folder above this one is named, because its runs may be
/// those of another project.
pub(crate) fn locate_out_folder() -> PathBuf {
    static NAMED: Once = Once::new();
    let here = env::current_dir().unwrap_or_default();
    let out = locate_below(Path::new(""), &here);
    if !out.starts_with(&here) && out.is_absolute() && !is_chosen() {
        NAMED.call_once(|| print_to_stderr(&format!("the runs are those of `{}`", out.display())));
    }
    out
}

/// Whether a variable says where the folder is.
fn is_chosen() -> bool {
    ["ARRAIGN_OUT", "CARGO_TARGET_DIR"].into_iter().any(|name| read_path_variable(name).is_some())
}

/// Returns the same folder for the package in `base`, whatever the current folder is.
pub(crate) fn locate_out_folder_of(base: &Path) -> PathBuf {
    locate_below(base, base)
}

fn locate_below(base: &Path, here: &Path) -> PathBuf {
    if let Some(out) = read_path_variable("ARRAIGN_OUT") {
        return base.join(out);
    }
    match read_path_variable("CARGO_TARGET_DIR") {
        // Cargo's target folder is where the tests of a crate write their verdicts.
        Some(target) => base.join(target).join("arraign"),
        None => find_nearest_out_folder(here).unwrap_or_else(|| base.join(USUAL_OUT_FOLDER)),
    }
}

fn read_path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Searches upwards, because the packages of a workspace share one target folder.
fn find_nearest_out_folder(here: &Path) -> Option<PathBuf> {
    here.ancestors().map(|folder| folder.join(USUAL_OUT_FOLDER)).find(|folder| folder.is_dir())
}
