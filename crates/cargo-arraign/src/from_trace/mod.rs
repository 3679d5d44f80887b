//! `cargo arraign from-trace FILE`.

mod failures;
mod near;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::{count_noun, escape_line, escape_text};
use arraign::__internals::secrets::mask_run;
use arraign::__internals::suite::RecordedRun;
use arraign::json::{self, Json, JsonMap, json};
use arraign::reader::to_native;
use arraign::trace::Ended;
use arraign::{Harness, Trace};
use clap::Args;

use self::failures::{propose_failed_when, settle_statuses};
use self::near::list_near_cases;
use crate::error::{CliError, CliResult, exit_after_write, print_to_stderr};
use crate::explain::Explain;
use crate::mutants::{ProposedCase, propose_for_run};
use crate::new_file::write_new;
use crate::yaml_writer::render_document;

/// Write a case for a recorded run, with checks that notice changes of it.
///
/// The checks are proposed from the run. The run passes each of them, and each notices a change that no other one does. Read
/// them before you commit the case: they say what this run did, and not what it should have done. Secrets are masked.
#[derive(Debug, Args)]
pub(crate) struct FromTrace {
    /// The trace file, in any format that `explain` reads.
    file: PathBuf,
    /// The new case file. The masked run is written to `traces` beside it, unless the file is there already. Default: print the case
    /// with its run.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The run of a file with several: its id, or its number from 1.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Read the file as this format, without detection.
    #[arg(long, value_name = "NAME")]
    trace_format: Option<String>,
    /// Read the file with the readers that FILE declares. Default: those of the nearest arraign.yaml.
    #[arg(long, value_name = "FILE")]
    reader: Option<PathBuf>,
    /// The folder of the cases that exist. Cases on a run like this one are listed.
    #[arg(long, value_name = "DIR", default_value = "evals")]
    evals: PathBuf,
}

impl FromTrace {
    /// Returns the command that writes the first case of a project, for the only run of `file`.
    pub(crate) fn for_first_case(file: &Path, out: PathBuf) -> Self {
        let evals = out.parent().unwrap_or(Path::new("")).to_owned();
        Self { file: file.to_owned(), out: Some(out), run: None, trace_format: None, reader: None, evals }
    }

    pub(crate) fn run(self) -> CliResult {
        let (run, proposed) = self.propose()?;
        // On the error stream, since the case itself may be redirected to a file.
        for near in list_near_cases(&self.evals, &run.trace) {
            print_to_stderr(&escape_line(&near));
        }
        if let Some(out) = &self.out {
            let written = self.write_case(out, &run.trace, &proposed)?;
            let lines: Vec<String> =
                written.iter().map(|path| format!("wrote {}\n", path.display())).collect();
            return exit_after_write(io::stdout().write_all(escape_text(&lines.concat()).as_bytes()));
        }
        let inline = json::from_str(&to_native(&run.trace))?;
        let text = self.render_case(&run.trace, inline, &proposed);
        exit_after_write(io::stdout().write_all(escape_text(&text).as_bytes()))
    }

    /// Writes the case and its run. Returns the id of the case and the files.
    pub(crate) fn write(&self) -> Result<(String, Vec<PathBuf>), CliError> {
        let (run, proposed) = self.propose()?;
        let out = self.out.as_deref().unwrap_or(Path::new("case.yaml"));
        Ok((self.name_case(), self.write_case(out, &run.trace, &proposed)?))
    }

    /// Reads the run, masks its secrets, and proposes the checks.
    fn propose(&self) -> Result<(RecordedRun, ProposedCase), CliError> {
        let format = self.trace_format.clone();
        let reader = self.reader.clone();
        let file = Explain::of_file(self.file.clone()).select(self.run.clone(), format, reader);
        let trace = mask_run(file.read_only_run()?);
        let run = RecordedRun { file: None, format: "given", trace, workspace: None };
        let folder = self.out.as_deref().and_then(Path::parent).filter(|folder| folder.is_dir());
        // The settings of the folder count, if it exists already.
        let folder = folder.unwrap_or(Path::new("."));
        let mut settled = run.clone();
        if propose_failed_when(&run.trace).is_some() {
            settle_statuses(&mut settled.trace);
        }
        if let Some(format) = run.trace.possible_format() {
            settled.trace.accept_format(format);
        }
        let proposed = propose_for_run(&Harness::new(folder), &settled)
            .map_err(|errors| CliError::new(errors.to_string()))?;
        if proposed.expect.is_empty() {
            return Err(CliError::new(explain_no_proposal(&run.trace)));
        }
        Ok((run, proposed))
    }

    /// Writes the case, and the masked run beside it unless the case can name the file itself. Returns the paths that were written.
    /// Existing files stay.
    fn write_case(&self, out: &Path, run: &Trace, proposed: &ProposedCase) -> Result<Vec<PathBuf>, CliError> {
        // It is looked for before anything is written, so that a refusal leaves nothing behind.
        if fs::symlink_metadata(out).is_ok() {
            let out = out.display();
            return Err(CliError::new(format!("{out} exists already: name another file with `--out`")));
        }
        let folder = out.parent().unwrap_or(Path::new(""));
        if let Some(name) = self.find_below(folder, run) {
            write_new(out, self.render_case(run, json!(name), proposed))?;
            return Ok(vec![out.to_owned()]);
        }
        let name = self.name_run(out);
        let trace = folder.join(&name);
        write_new(&trace, to_native(run))?;
        write_new(out, self.render_case(run, json!(name), proposed))?;
        Ok(vec![out.to_owned(), trace])
    }

    /// Returns the path of the trace below `folder`, if a case there can name it: the file is in a folder of traces, and what was
    /// read of it contains no secret.
    fn find_below(&self, folder: &Path, masked: &Trace) -> Option<String> {
        let is_default = self.run.is_none() && self.trace_format.is_none() && self.reader.is_none();
        let path = self.file.canonicalize().ok()?;
        let below = path.strip_prefix(folder.canonicalize().ok()?).ok()?.to_str()?.replace('\\', "/");
        let unmasked = Explain::of_file(self.file.clone()).read_only_run().ok()?;
        let is_named = is_default && below.starts_with("traces/") && !below.contains(['*', '?', '[', '{']);
        (is_named && to_native(&unmasked) == to_native(masked)).then_some(below)
    }

    /// Returns the first free path for the run, below the folder of `out`. Several files of one name are traces of several cases.
    fn name_run(&self, out: &Path) -> String {
        let folder = out.parent().unwrap_or(Path::new(""));
        let id = self.name_case();
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let numbered = (2..).map(|number| format!("{stem}_{id}_{number}"));
        let names = [id.clone(), format!("{stem}_{id}")].into_iter().chain(numbered);
        let mut paths = names.map(|name| format!("traces/{name}.json"));
        let is_free = |path: &String| fs::symlink_metadata(folder.join(path)).is_err();
        paths.find(is_free).unwrap_or_default()
    }

    fn render_case(&self, run: &Trace, trace: Json, proposed: &ProposedCase) -> String {
        let ProposedCase { expect, killed, mutants, is_sample } = proposed;
        let mut case = JsonMap::new();
        case.insert("id".to_owned(), json!(self.name_case()));
        case.extend(run.input.as_ref().map(|input| ("input".to_owned(), json!(input))));
        case.insert("trace".to_owned(), trace);
        case.extend(run.possible_format().map(|format| ("format".to_owned(), json!(format))));
        case.extend(propose_failed_when(run).map(|rules| ("failed_when".to_owned(), rules)));
        case.insert("expect".to_owned(), json!(expect));
        let tried = if *is_sample { " that were tried" } else { "" };
        let heading = format!(
            "# Proposed from one run. These checks notice {killed} of {} of it{tried}; `cargo arraign mutate` lists the \
             others.\n",
            count_noun(*mutants, "change")
        );
        heading + &render_document(&case)
    }

    /// The id of the case: the name of the file with the characters that an id may have.
    fn name_case(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let plain =
            stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
        let id: String = plain.collect();
        let id = id.trim_matches('_');
        // A name without letters and digits leaves nothing of an id.
        if id.is_empty() { "case".to_owned() } else { id.to_owned() }
    }
}

/// Says why no check is proposed for a run.
fn explain_no_proposal(run: &Trace) -> String {
    match &run.ended {
        Ended::Well | Ended::Unknown => "no proposed check notices a change of this run".to_owned(),
        ended => format!(
            "this run did not end well ({ended}), so it does not show what the agent does: record it again"
        ),
    }
}
