//! The schema for editors, and the line of a case file that names the schema.

use std::env;
use std::path::Path;

use arraign::__internals::check::Registry;
use arraign::__internals::suite::schema;

/// The file name of the schema, which is written beside the folder of cases.
pub(crate) const SCHEMA: &str = "arraign.schema.json";

/// Renders the schema of cases with the built-in checks.
pub(crate) fn render_schema() -> String {
    format!("{:#}\n", schema::of_cases(&Registry::default()))
}

/// Renders the first line of a file in `folder`, which names the nearest schema above, if the project has one.
pub(crate) fn render_schema_line(folder: &Path) -> Option<String> {
    let here = env::current_dir().ok()?;
    let folder = here.join(folder);
    let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(&here));
    let levels = above.enumerate().find(|(_, above)| above.join(SCHEMA).is_file())?.0 + 1;
    Some(format!("# yaml-language-server: $schema={}{SCHEMA}\n", "../".repeat(levels)))
}
