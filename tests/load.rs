//! Every file under `tests/load/` is refused, with all its mistakes at once: its snapshot is what a person sees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::check::Registry;
use arraign::__internals::report::terminal;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let trials = broken_files().into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || is_refused(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/load")
}

fn files() -> Files {
    Files::new(env!("CARGO_MANIFEST_DIR"), root())
}

fn broken_files() -> Vec<PathBuf> {
    files().list(&root()).into_iter().filter(|path| path.extension().is_some() && is_readable(path)).collect()
}

/// Without its feature a schema is no mistake of its own: each is refused with the same words.
fn is_readable(path: &Path) -> bool {
    cfg!(feature = "json-schema") || !path.ends_with("expected-schema.yaml")
}

fn is_refused(path: &Path) -> Result<(), Failed> {
    let (kinds, files) = (Registry::default(), files());
    let Err(errors) = Suite::load(
        path,
        Library { kinds: &kinds, files: &files, tables: &arraign::__internals::check::Tables::default() },
    ) else {
        return Err("the file was accepted".into());
    };
    let drawn: Vec<String> = errors.iter().map(terminal::load_error).collect();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(root().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    settings.bind(|| insta::assert_snapshot!(name, drawn.join("\n")));
    Ok(())
}
