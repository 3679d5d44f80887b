//! The packages as the registry gets them: what their pages need, and no file that nobody reads there.

use arraign::json;
use arraign::json::Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::cargo::cargo;

/// The lines around the fixtures in the manifest.
const OPEN: &str = "    # Fixtures that pages of checks show. `just bless` rewrites them.\n";
const CLOSE: &str = "    # End of the fixtures.\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The fixtures that `src` includes in its documentation.
fn find_shown(folder: &Path, shown: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            find_shown(&path, shown);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().filter(|line| line.contains("include_str!(")).filter_map(|line| {
            let (_, rest) = line.split_once("tests/check/")?;
            Some(format!("/tests/check/{}", rest.split_once('"')?.0))
        });
        shown.extend(lines);
    }
}

#[test]
fn the_package_contains_the_fixtures_that_its_pages_show_and_no_other() {
    let mut shown = BTreeSet::new();
    find_shown(&root().join("src"), &mut shown);
    assert!(shown.len() > 40, "only {} fixtures were found", shown.len());
    let listed: Vec<String> = shown.iter().map(|fixture| format!("    \"{fixture}\",\n")).collect();
    let listed = listed.concat();
    let path = root().join("Cargo.toml");
    let manifest = fs::read_to_string(&path).expect("the manifest");
    let (before, rest) = manifest.split_once(OPEN).expect("the first line of the fixtures");
    let (_, after) = rest.split_once(CLOSE).expect("the last line of the fixtures");
    let wanted = format!("{before}{OPEN}{listed}{CLOSE}{after}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &wanted).expect("it is written");
    }
    let now = fs::read_to_string(&path).expect("the manifest");
    assert!(now == wanted, "the fixtures in Cargo.toml are out of date: `just bless` rewrites them");
}

/// The pages of crates.io, and searches there, show these fields.
#[test]
fn every_package_has_what_its_page_on_the_registry_shows() {
    let output = cargo(&["metadata", "--format-version=1", "--no-deps", "--offline"]).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Json = json::from_str(&String::from_utf8_lossy(&output.stdout)).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert_eq!(packages.len(), 4);
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        for field in ["description", "license", "readme", "documentation"] {
            assert!(package[field].is_string(), "{name}: `{field}` is missing");
        }
        let count = |field: &str| package[field].as_array().map_or(0, <[Json]>::len);
        assert_eq!(count("keywords"), 5, "{name}: the registry allows five keywords");
        assert!((1..=5).contains(&count("categories")), "{name}: categories");
        assert_eq!(
            package["metadata"]["docs"]["rs"]["all-features"], true,
            "{name}: docs.rs shows all features"
        );
    }
}
