//! The error of a check that is not compiled in.

use crate::place::LoadError;
use crate::yaml::Node;

/// Returns the error for settings at `node` whose check needs `feature`, with the line for the manifest.
pub(in crate::check) fn report_missing_feature(node: Node<'_>, feature: &str) -> LoadError {
    let version = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    let dependency = format!("arraign = {{ version = \"{version}\", features = [\"{feature}\"] }}");
    node.error(format!("this check needs arraign's feature `{feature}`"))
        .help(format!("in Cargo.toml: `{dependency}`"))
}
