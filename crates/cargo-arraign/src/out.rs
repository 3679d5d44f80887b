//! The folder of verdicts and reports.

use std::env;
use std::path::{Path, PathBuf};

/// Returns `ARRAIGN_OUT`, or else the folder `arraign` in the target folder: in `CARGO_TARGET_DIR`, or else in the
/// nearest target folder with such a folder.
pub(crate) fn locate_out_folder() -> PathBuf {
    if let Some(out) = read_path_variable("ARRAIGN_OUT") {
        return out;
    }
    match read_path_variable("CARGO_TARGET_DIR") {
        Some(target) => target.join("arraign"),
        None => find_nearest_out_folder(),
    }
}

fn read_path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Searches upwards, because the packages of a workspace share one target folder.
fn find_nearest_out_folder() -> PathBuf {
    let usual = Path::new("target").join("arraign");
    let here = env::current_dir().unwrap_or_default();
    let below = here.ancestors().map(|folder| folder.join(&usual)).find(|folder| folder.is_dir());
    below.unwrap_or(usual)
}
