//! What `arraign.yaml` says for the traces beside it: readers, and the size limit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arraign::__internals::check::{
    FailedWhen, Registry, SHIPPED_READERS, ShippedReaders, Tables, load_shipped_readers,
};
use arraign::__internals::place::LoadErrors;
use arraign::__internals::report::terminal::render_load_error;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{load_readers, workspace};
use arraign::reader::ReaderSet;

use crate::error::CliError;

/// The file that all suites of a folder share.
const FILE: &str = "arraign.yaml";

/// The readers and the size limit for a trace.
pub(super) struct TraceSettings {
    pub(super) readers: ReaderSet,
    pub(super) size_limit: Option<u64>,
    /// Which results of tools are failures.
    pub(super) failed_when: Option<Arc<FailedWhen>>,
}

/// Reads the settings for the trace at `path`: those of the nearest `arraign.yaml` above it, or of `evals/arraign.yaml`.
pub(super) fn read_settings(path: &Path) -> Result<TraceSettings, CliError> {
    let Some(folder) = find_workspace_folder(path) else {
        return Ok(TraceSettings { readers: ReaderSet::default(), size_limit: None, failed_when: None });
    };
    let files = Files::new(&folder, &folder);
    let common = workspace(&files, &Registry::default()).map_err(|errors| describe_mistakes(&errors))?;
    let Tables { readers, failed_when, .. } = common.tables;
    Ok(TraceSettings { readers, size_limit: common.size_limit, failed_when })
}

/// Reads the readers that the file at `path` declares. A framework whose readers come with arraign is named without a file.
pub(super) fn read_declarations(path: &Path) -> Result<ReaderSet, CliError> {
    let shown = path.display();
    if let (Some(shipped), false) = (path.to_str().and_then(ShippedReaders::find), path.is_file()) {
        return load_shipped_readers(shipped).map_err(|errors| describe_mistakes(&errors));
    }
    let path = path.canonicalize().map_err(|error| {
        let names: Vec<&str> = SHIPPED_READERS.iter().map(|shipped| shipped.name).collect();
        let help = format!("readers come with arraign for {}", names.join(", "));
        CliError::new(format!("{shown}: {error}\n  help: {help}"))
    })?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    load_readers(&path, &Files::new(folder, folder)).map_err(|errors| describe_mistakes(&errors))
}

fn find_workspace_folder(path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1).find(|folder| folder.join(FILE).is_file());
    // A trace from elsewhere, such as a download, belongs to the project that it is explained in.
    above.map(Path::to_owned).or_else(|| {
        let evals = Path::new("evals").canonicalize().ok()?;
        evals.join(FILE).is_file().then_some(evals)
    })
}

fn describe_mistakes(errors: &LoadErrors) -> CliError {
    let drawn: Vec<String> = errors.iter().map(render_load_error).collect();
    CliError::new(format!("the readers do not load\n{}", drawn.concat().trim_end()))
}
