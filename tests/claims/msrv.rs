//! The oldest supported Rust that the manifest states is one that every dependency supports.
//!
//! What this crate itself uses of the standard library is held by `clippy::incompatible_msrv`.

use std::process::Command;

use serde_json::Value;

/// What the default features bring on this machine: cargo has downloaded that, and may be offline now.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", &host()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

/// The target triple of this machine's compiler.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned()
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// The packages that a user's build may compile: those reached without dev-dependencies.
fn shipped(metadata: &Value) -> Vec<String> {
    let nodes = metadata["resolve"]["nodes"].as_array().expect("nodes");
    let mut reached = vec![metadata["resolve"]["root"].as_str().expect("a root").to_owned()];
    let mut next = 0;
    while let Some(id) = reached.get(next).cloned() {
        next += 1;
        let node = nodes.iter().find(|node| node["id"] == id.as_str()).expect("a node");
        for dependency in node["deps"].as_array().expect("dependencies") {
            let kinds = dependency["dep_kinds"].as_array().expect("kinds");
            let package = dependency["pkg"].as_str().expect("a package").to_owned();
            if kinds.iter().any(|kind| kind["kind"].is_null()) && !reached.contains(&package) {
                reached.push(package);
            }
        }
    }
    reached
}

#[test]
fn every_dependency_supports_the_stated_rust() {
    let metadata = metadata();
    let shipped = shipped(&metadata);
    let stated = version(env!("CARGO_PKG_RUST_VERSION"));
    assert!(shipped.len() > 20, "only {} packages were found", shipped.len());
    for package in metadata["packages"].as_array().expect("packages") {
        let Some(needed) = package["rust_version"].as_str() else { continue };
        let is_shipped = shipped.iter().any(|id| package["id"] == id.as_str());
        assert!(!is_shipped || version(needed) <= stated, "{} needs Rust {needed}", package["name"]);
    }
}

/// A user who only checks recorded traces compiles no network client and no async runtime.
#[test]
fn no_dependency_is_a_network_client_or_a_runtime() {
    let metadata = metadata();
    for id in shipped(&metadata) {
        for unwanted in ["tokio", "hyper", "reqwest", "ureq", "rustls", "openssl-sys"] {
            assert!(!id.contains(&format!("#{unwanted}@")), "{id}");
        }
    }
}
