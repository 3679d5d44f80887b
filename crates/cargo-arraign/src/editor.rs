//! The schema for editors, and the line of a case file that names the schema.

use std::env;
use std::path::Path;

use arraign::__internals::check::Registry;
use arraign::__internals::suite::schema;

/// The file name of the schema.
pub(crate) const SCHEMA: &str = "arraign.schema.json";

/// The file of the schema that `init` writes, below the folder of cases. No file of a folder `schemas` is one of cases.
pub(crate) const SCHEMA_BELOW_CASES: &str = "schemas/arraign.schema.json";

/// Renders the schema of cases with the built-in checks.
pub(crate) fn render_schema() -> String {
    format!("{:#}\n", schema::of_cases(&Registry::default()))
}

/// Renders the first line of a file in `folder`, which names the nearest schema in a folder above, or in `schemas` of this folder or
/// of one above, if the project has one.
pub(crate) fn render_schema_line(folder: &Path) -> Option<String> {
    let here = env::current_dir().ok()?;
    let folder = here.join(folder);
    let above = folder.ancestors().take_while(|above| above.starts_with(&here)).enumerate();
    let mut candidates = above.flat_map(|(levels, above)| {
        // Beside its cases, the schema would be a file of cases itself.
        let names = if levels == 0 { &[SCHEMA_BELOW_CASES][..] } else { &[SCHEMA_BELOW_CASES, SCHEMA] };
        names.iter().map(move |name| (levels, above.join(name), *name))
    });
    let (levels, _, name) = candidates.find(|(_, path, _)| path.is_file())?;
    Some(format!("# yaml-language-server: $schema={}{name}\n", "../".repeat(levels)))
}
