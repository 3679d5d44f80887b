//! The oldest supported Rust that the manifest states is one that every dependency supports.
//!
//! What this crate itself uses of the standard library is held by `clippy::incompatible_msrv`.

use arraign::json;
use arraign::json::Json;
use std::collections::BTreeSet;

use crate::cargo::cargo;

/// Returns what cargo prints. Cargo has downloaded all that this needs, and may be offline now.
fn read_cargo(arguments: &[&str]) -> String {
    let output = cargo(arguments).args(["--locked", "--offline"]).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// Returns the packages that a user's build compiles with the default features, each as `name v1.2.3`.
fn shipped() -> BTreeSet<String> {
    let tree = read_cargo(&["tree", "--package", "arraign", "--edges", "no-dev", "--prefix", "none"]);
    let words = tree.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
    words.collect()
}

#[test]
fn every_dependency_supports_the_stated_rust() {
    let host = read_cargo(&["-vV"]).lines().find_map(|line| Some(line.strip_prefix("host: ")?.to_owned()));
    let platform = host.expect("a host");
    let metadata = read_cargo(&["metadata", "--format-version=1", "--filter-platform", &platform]);
    let metadata: Json = json::from_str(&metadata).expect("metadata is JSON");
    let shipped = shipped();
    let stated = version(env!("CARGO_PKG_RUST_VERSION"));
    assert!(shipped.len() > 20, "only {} packages were found", shipped.len());
    for package in metadata["packages"].as_array().expect("packages") {
        let Some(needed) = package["rust_version"].as_str() else { continue };
        let name = format!(
            "{} v{}",
            package["name"].as_str().expect("a name"),
            package["version"].as_str().expect("text")
        );
        assert!(!shipped.contains(&name) || version(needed) <= stated, "{name} needs Rust {needed}");
    }
}

/// A user who only checks recorded traces compiles no network client, no async runtime and no JSON Schema.
#[test]
fn no_dependency_is_a_network_client_or_a_runtime() {
    for package in shipped() {
        for unwanted in ["tokio", "hyper", "reqwest", "ureq", "rustls", "openssl-sys", "jsonschema"] {
            assert!(!package.starts_with(&format!("{unwanted} ")), "{package}");
        }
    }
}
