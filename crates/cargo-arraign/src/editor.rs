//! What tells an editor how cases look: a schema, and the line of a file that names it.

use std::env;
use std::path::Path;

use arraign::__internals::check::Registry;
use arraign::__internals::suite::schema;

/// The file of the schema, in the folder that the folder of cases lies in.
pub(crate) const SCHEMA: &str = "arraign.schema.json";

/// The schema of cases, with the built-in checks.
pub(crate) fn schema_text() -> String {
    format!("{:#}\n", schema::of_cases(&Registry::default()))
}

/// The first line of a file in `folder`: the nearest schema above it, where this project has one.
pub(crate) fn first_line(folder: &Path) -> Option<String> {
    let here = env::current_dir().ok()?;
    let folder = here.join(folder);
    let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(&here));
    let levels = above.enumerate().find(|(_, above)| above.join(SCHEMA).is_file())?.0 + 1;
    Some(format!("# yaml-language-server: $schema={}{SCHEMA}\n", "../".repeat(levels)))
}
