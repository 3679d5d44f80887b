//! Adds the lines of `[profile.dev]` that make debug builds of arraign smaller: the test target has half its size.
//!
//! Cargo reads profiles from the manifest of the workspace only.

use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, value};

/// The comment above the first table.
const REASON: &str =
    "\n# Nobody steps through arraign: without its debug information, the test target has half its size.\n";

/// The packages that are built without debug information.
const PACKAGES: &[&str] = &["arraign", "arraign-trace"];

/// Adds the settings that are missing. `None` if there is nothing to add, or no place for it.
pub(super) fn add_profile(text: &str) -> Option<String> {
    let mut manifest: DocumentMut = text.parse().ok()?;
    let mut packages: &mut dyn TableLike = manifest.as_table_mut();
    for name in ["profile", "dev", "package"] {
        let inner = packages.entry(name).or_insert_with(new_implicit_table);
        packages = inner.as_table_like_mut()?;
    }
    // The reason stands before the first table only. If it is still there at the end, nothing was added.
    let mut reason = Some(REASON);
    for name in PACKAGES {
        if packages.contains_key(name) {
            continue;
        }
        let mut table = Table::new();
        table.insert("debug", value(false));
        table.decor_mut().set_prefix(reason.take().unwrap_or("\n"));
        packages.insert(name, Item::Table(table));
    }
    reason.is_none().then(|| manifest.to_string())
}

fn new_implicit_table() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// Returns the manifest of the workspace around the crate in `folder`, unless it is the crate's own.
pub(super) fn find_workspace_manifest(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    if read_workspace(&folder).is_some() {
        return None;
    }
    let root = folder.ancestors().skip(1).find_map(|root| Some((root, read_workspace(root)?)))?;
    let (root, workspace) = root;
    let below = folder.strip_prefix(root).ok()?;
    // A crate that its workspace excludes is a workspace of its own.
    let excluded = workspace.get("exclude").and_then(Item::as_array);
    let mut excluded = excluded.into_iter().flatten().filter_map(toml_edit::Value::as_str);
    (!excluded.any(|excluded| below.starts_with(excluded))).then(|| root.join("Cargo.toml"))
}

/// Returns the table `workspace` of the manifest in a folder.
fn read_workspace(folder: &Path) -> Option<Table> {
    let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let manifest: DocumentMut = text.parse().ok()?;
    manifest.get("workspace")?.as_table().cloned()
}

/// Whether the workspace of this manifest says where its members get arraign from.
pub(super) fn shares_arraign(manifest: &Path) -> bool {
    let workspace = manifest.parent().and_then(read_workspace);
    workspace.is_some_and(|workspace| {
        workspace
            .get("dependencies")
            .and_then(Item::as_table_like)
            .is_some_and(|all| all.contains_key("arraign"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_stand_at_the_end_and_a_second_time_changes_nothing() {
        let text = "[package]\nname = \"a\"\n\n[profile.dev]\nopt-level = 1 # ours\n";
        let new = add_profile(text).expect("something to add");
        let rest = new.strip_prefix(text).expect("what was there comes first");
        assert!(rest.starts_with("\n# Nobody"), "{rest}");
        assert!(rest.ends_with("\n[profile.dev.package.arraign-trace]\ndebug = false\n"), "{rest}");
        assert_eq!(add_profile(&new), None);
    }

    #[test]
    fn settings_of_the_project_stay() {
        let text = "[profile.dev.package.arraign]\nopt-level = 2\n";
        let new = add_profile(text).expect("something to add");
        assert!(new.starts_with(text) && !new.contains("[profile.dev.package.arraign]\ndebug"), "{new}");
        assert_eq!(add_profile("profile = 3\n"), None);
    }
}
