//! Adds the test target and its dependency to a manifest, and keeps comments, order and formatting.

use std::path::PathBuf;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, value};

/// The source of the library.
pub(super) enum Dependency {
    /// The registry, with the version of this program.
    Released,
    /// A local folder.
    Folder(PathBuf),
    /// The table `workspace.dependencies`.
    Workspace,
}

/// The feature of arraign that records the model of an agent.
pub(super) const MODEL: &str = "model";

/// A manifest after editing.
#[derive(Debug)]
pub(super) struct EditedManifest {
    pub(super) text: String,
    /// The entries that were added.
    pub(super) added: Vec<&'static str>,
    /// The entries that already existed.
    pub(super) remarks: Vec<String>,
}

/// The tables that can contain the dependency.
const DEPENDENCIES: &[&str] = &["dev-dependencies", "dependencies"];

/// Adds the test target `evals` and the dependency, with this feature if one is needed. The error says why this is impossible.
pub(super) fn add_evals(
    text: &str,
    dependency: &Dependency,
    feature: Option<&str>,
) -> Result<EditedManifest, String> {
    let mut manifest: DocumentMut = text.parse().map_err(|error| format!("not TOML: {error}"))?;
    if manifest.get("package").is_none() {
        return Err(explain_missing_package(&manifest));
    }
    let mut added = Vec::new();
    let mut remarks = Vec::new();
    // A dependency that is there keeps its version and its features.
    if let Some(table) = DEPENDENCIES.iter().find(|table| has_dependency(&manifest, table)) {
        let advice = feature
            .map(|feature| format!(": `cargo add --dev arraign --features {feature}` adds what is needed"));
        remarks.push(format!("`arraign` is already in `{table}`{}", advice.unwrap_or_default()));
    } else {
        add_dependency(&mut manifest, dependency, feature)?;
        added.push("the dev-dependency `arraign`");
    }
    match find_target(&manifest) {
        TestTarget::Missing => {
            add_target(&mut manifest);
            added.push("the test target `evals`");
        }
        TestTarget::Good => remarks.push("the test target `evals` already exists".to_owned()),
        TestTarget::Wrong(remark) => remarks.push(remark.to_owned()),
    }
    Ok(EditedManifest { text: manifest.to_string(), added, remarks })
}

/// Explains why a manifest without a package cannot have a test target. A workspace suggests its members.
fn explain_missing_package(manifest: &DocumentMut) -> String {
    let Some(workspace) = manifest.get("workspace") else {
        return "missing `[package]`: is this the manifest of a crate?".to_owned();
    };
    let members = workspace.get("members").and_then(Item::as_array);
    let names: Vec<&str> = members.into_iter().flatten().filter_map(toml_edit::Value::as_str).collect();
    // A pattern such as `crates/*` is no member that could be named.
    let example = names.iter().find(|name| !name.contains('*')).copied().unwrap_or("crates/NAME");
    let listed = if names.is_empty() { String::new() } else { format!(" (members: {})", names.join(", ")) };
    format!(
        "this is a workspace without a package{listed}: name a member, as in \
         `cargo arraign init {example}`"
    )
}

fn has_dependency(manifest: &DocumentMut, table: &str) -> bool {
    let Some(dependencies) = manifest.get(table).and_then(Item::as_table_like) else { return false };
    // A dependency can have another name than its package.
    dependencies.iter().any(|(name, item)| {
        name == "arraign" || item.get("package").and_then(Item::as_str) == Some("arraign")
    })
}

fn add_dependency(
    manifest: &mut DocumentMut,
    dependency: &Dependency,
    feature: Option<&str>,
) -> Result<(), String> {
    let table = manifest.entry("dev-dependencies").or_insert_with(new_table);
    let Some(table) = table.as_table_like_mut() else {
        return Err("`dev-dependencies` is not a table".to_owned());
    };
    // An inline table stays on the line of its key, as people write it.
    let mut wanted = InlineTable::new();
    match dependency {
        Dependency::Released => wanted.insert("version", parse_own_version().into()),
        Dependency::Folder(path) => wanted.insert("path", path.to_string_lossy().into_owned().into()),
        Dependency::Workspace => wanted.insert("workspace", true.into()),
    };
    if let Some(feature) = feature {
        wanted.insert("features", toml_edit::Array::from_iter([feature]).into());
    }
    let is_version_alone = wanted.len() == 1 && matches!(dependency, Dependency::Released);
    let wanted = if is_version_alone { value(parse_own_version()) } else { value(wanted) };
    table.insert("arraign", wanted);
    Ok(())
}

/// Returns the part of this program's version that compatible updates share: `0.1`, `2`.
fn parse_own_version() -> String {
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let minor = env!("CARGO_PKG_VERSION_MINOR");
    if major == "0" { format!("0.{minor}") } else { major.to_owned() }
}

enum TestTarget {
    Missing,
    Good,
    /// The target exists, but with wrong settings.
    Wrong(&'static str),
}

fn find_target(manifest: &DocumentMut) -> TestTarget {
    let Some(tests) = manifest.get("test") else { return TestTarget::Missing };
    let Some(tests) = tests.as_array_of_tables() else {
        return TestTarget::Wrong(
            "its tests are not `[[test]]` tables: add `{name = \"evals\", harness = false}`",
        );
    };
    match tests.iter().find(|test| test.get("name").and_then(Item::as_str) == Some("evals")) {
        None => TestTarget::Missing,
        // Without `harness = false`, libtest would run no case and pass.
        Some(test) if test.get("harness").and_then(Item::as_bool) == Some(false) => TestTarget::Good,
        Some(_) => TestTarget::Wrong("the test target `evals` lacks `harness = false`: add this line"),
    }
}

fn add_target(manifest: &mut DocumentMut) {
    let mut test = Table::new();
    test.insert("name", value("evals"));
    test.insert("harness", value(false));
    let tests = manifest.entry("test").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if let Some(tests) = tests.as_array_of_tables_mut() {
        tests.push(test);
    }
}

fn new_table() -> Item {
    Item::Table(Table::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str) -> EditedManifest {
        add_evals(text, &Dependency::Released, None).expect("a manifest")
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\n[package]\nname = \"a\" # short\n\n[lib]\npath='x.rs'\n\n[[bin]]\nname = \"b\"\n";
        let EditedManifest { text: new, added, .. } = edit(text);
        assert_eq!(added.len(), 2);
        let rest = new.strip_prefix(text).expect("what was there comes first");
        assert_eq!(
            rest,
            "\n[dev-dependencies]\narraign = \"0.1\"\n\n[[test]]\nname = \"evals\"\nharness = false\n"
        );
    }

    #[test]
    fn a_second_time_changes_nothing() {
        let once = edit("[package]\nname = \"a\"\n[dev-dependencies]\ntempfile = \"3\"\n").text;
        let EditedManifest { text, added, remarks } = edit(&once);
        assert_eq!((text, added.len(), remarks.len()), (once, 0, 2));
    }

    #[test]
    fn a_renamed_dependency_and_a_target_with_a_harness_are_seen() {
        let text = "[package]\nname = \"a\"\n[dependencies]\ncheck = { package = \"arraign\" }\n\
                    [[test]]\nname = \"evals\"\n";
        let EditedManifest { added, remarks, .. } = edit(text);
        assert!(added.is_empty());
        assert!(remarks[1].contains("harness = false"), "{remarks:?}");
    }

    #[test]
    fn a_feature_is_added_with_the_dependency_and_never_to_one_that_is_there() {
        let text = "[package]\nname = \"a\"\n";
        let new = add_evals(text, &Dependency::Released, Some(MODEL)).expect("a manifest");
        let line = "arraign = { version = \"0.1\", features = [\"model\"] }\n";
        assert!(new.text.contains(line), "{}", new.text);
        let kept = add_evals(&edit(text).text, &Dependency::Released, Some(MODEL)).expect("a manifest");
        assert!(kept.remarks[0].contains("`cargo add --dev arraign --features model`"), "{:?}", kept.remarks);
    }

    #[test]
    fn a_workspace_names_its_members() {
        let text = "[workspace]\nmembers = [\"crates/*\", \"tools/agent\"]\n";
        let why = add_evals(text, &Dependency::Released, None).expect_err("a mistake");
        assert!(why.contains("cargo arraign init tools/agent"), "{why}");
    }
}
