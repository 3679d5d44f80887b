//! The folder of verdicts and reports.

use std::env;
use std::path::{Path, PathBuf};

/// The folder in a package without a target folder of its own.
const USUAL_OUT_FOLDER: &str = "target/arraign";

/// Returns `ARRAIGN_OUT`, or else the folder `arraign` in the target folder: in `CARGO_TARGET_DIR`, or else in the
/// nearest target folder with such a folder.
pub(crate) fn locate_out_folder() -> PathBuf {
    locate_below(Path::new(""), &env::current_dir().unwrap_or_default())
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
