//! `cargo arraign mutate [DIR]`.

mod fix;
mod interrupt;
mod known;
mod report;
mod text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::mutate::{TraceMutation, tally_traces};
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::report::terminal::render_load_error;
use arraign::Harness;
use clap::{Args, ValueEnum};

use self::fix::{FixMode, FixResult, fix_cases, require_person};
use self::interrupt::{INTERRUPTED, InterruptFlag};
use self::known::KnownSurvivors;
use self::report::{render_mutation_json, render_mutation_sarif};
use self::text::MutationText;
use crate::error::{CliError, CliResult, FAILED, exit_after_write, print_to_stderr};
use crate::file_options::FileOptions;
use crate::mutants::{MutationOptions, MutationReport, mutate_cases};
use crate::report::locate_run;
use crate::run::require_folder;

/// The value of `--from-run` without a name.
const NEWEST: &str = "newest";

/// Find out what the cases would notice, by evaluating them on changed copies of their recorded runs.
///
/// Each mutant is one change of one run: a call is missing, fails or has another argument, the answer has other numbers, and
/// so on. A mutant survives if no check is violated. Each survivor is shown with the smallest check that notices it, to paste
/// into `expect`. No agent runs, no judge is asked, and no file is written unless you ask for it.
#[derive(Debug, Args)]
pub(crate) struct Mutate {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    folder: PathBuf,
    /// Exit with 101 if the cases on a trace notice a smaller share of its mutants: a number from 0 to 1.
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    min: Option<f64>,
    /// Show only survivors that FILE does not contain, and exit with 101 if there are any.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all survivors to FILE, for `--baseline`.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Run the programs of `exec`, once for each run and each mutant. Without it, these checks are left out.
    #[cfg(feature = "live")]
    #[arg(long, conflicts_with = "from_run")]
    allow_exec: bool,
    /// Show the survivors of each case, also those that other cases on the same trace notice.
    #[arg(long)]
    all: bool,
    /// Add checks that notice the survivors to the cases, after asking about each. `--fix=all` does not ask. The text of the
    /// files stays as it is, and each case is tried with its checks before its file is written.
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "ask", conflicts_with_all = ["from_run", "write_baseline", "format"])]
    fix: Option<FixMode>,
    /// Show the mutants that a run with `ARRAIGN_MUTATE=1` has tried: its folder in `target/arraign`, or a path. Without ID,
    /// the newest run.
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = NEWEST, conflicts_with_all = ["folder", "size_limit", "allow_root"])]
    from_run: Option<PathBuf>,
    #[command(flatten)]
    files: FileOptions,
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: MutationFormat,
    /// Only cases with names that contain one of these texts.
    #[arg(last = true, value_name = "FILTER")]
    filters: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum MutationFormat {
    /// Lines for the terminal.
    #[default]
    Text,
    /// One JSON document with all mutants.
    Json,
    /// One SARIF document with the survivors.
    Sarif,
}

impl Mutate {
    pub(crate) fn run(self) -> CliResult {
        self.fix.map_or(Ok(()), require_person)?;
        let known = self.baseline.as_deref().map(KnownSurvivors::read_file).transpose()?;
        let interrupt = InterruptFlag::register()?;
        let report = match &self.from_run {
            Some(run) => self.read_run(Some(run).filter(|run| *run != Path::new(NEWEST)))?,
            None => self.mutate_folder(&interrupt)?,
        };
        // A search that tried nothing is a mistake of the user's: no case is suited.
        if report.untried == 0 && report.cases.iter().all(|case| case.left_out.is_some()) {
            let folder = self.folder.to_string_lossy();
            let reasons = text::render_left_out(&report).join("\n  ");
            return Err(CliError::new(format!("no case in `{folder}` has a mutant\n  {reasons}")));
        }
        match self.fix {
            Some(mode) if report.untried == 0 => self.fix(&report, known, mode, &interrupt),
            _ => self.finish(&report, known),
        }
    }

    fn build_harness(&self) -> Harness {
        self.allow_programs(self.files.apply_to(Harness::new(&self.folder)))
    }

    #[cfg(feature = "live")]
    fn allow_programs(&self, harness: Harness) -> Harness {
        if self.allow_exec { harness.allow_exec() } else { harness }
    }

    #[cfg(not(feature = "live"))]
    #[expect(clippy::unused_self, reason = "the same signature as with programs")]
    fn allow_programs(&self, harness: Harness) -> Harness {
        harness
    }

    fn mutate_folder(&self, interrupt: &InterruptFlag) -> Result<MutationReport, CliError> {
        require_folder(&self.folder)?;
        let report = interrupt.watch(|stop| {
            let options = MutationOptions::new(&self.filters).stop_at(stop);
            mutate_cases(&self.build_harness(), options)
        });
        report.map_err(|errors| {
            let drawn: Vec<String> = errors.iter().map(render_load_error).collect();
            CliError::new(format!("the eval files do not load\n{}", drawn.concat().trim_end()))
        })
    }

    /// Adds checks to the cases, and tries the mutants again.
    fn fix(
        &self,
        report: &MutationReport,
        known: Option<KnownSurvivors>,
        mode: FixMode,
        interrupt: &InterruptFlag,
    ) -> CliResult {
        let mut traces = tally_traces(&report.cases);
        known.as_ref().map(|known| known.hide_survivors(&mut traces));
        let FixResult { added, refused } = fix_cases(&self.build_harness(), &traces, mode)?;
        if added == 0 && refused == 0 {
            exit_after_write(writeln!(io::stdout(), "no check was added"))?;
        }
        // The report is made anew, since the added checks change what is noticed.
        let again = if added > 0 { Some(self.mutate_folder(interrupt)?) } else { None };
        let code = self.finish(again.as_ref().unwrap_or(report), known)?;
        Ok(if refused > 0 && code == ExitCode::SUCCESS { ExitCode::from(FAILED) } else { code })
    }

    /// Joins the mutants that the trials of a run have left in its verdict logs.
    fn read_run(&self, run: Option<&PathBuf>) -> Result<MutationReport, CliError> {
        let run = StoredRun::open(&[locate_run(run)?])?;
        let mut cases = Vec::new();
        run.visit_verdicts(|verdict| cases.extend(verdict.mutation.as_deref().cloned()))?;
        if cases.is_empty() {
            let id = escape_line(&run.run().id);
            let problem = format!("the run `{id}` has tried no mutants");
            return Err(CliError::new(format!("{problem}\n  help: run the tests with `ARRAIGN_MUTATE=1`")));
        }
        // The filters come after the check, so that a filter without a match is told from a run without mutants.
        cases.retain(|case| is_selected(&self.filters, &case.name));
        Ok(MutationReport::from_cases(cases))
    }

    fn finish(&self, report: &MutationReport, known: Option<KnownSurvivors>) -> CliResult {
        let mut traces = tally_traces(&report.cases);
        // After an interrupt the list would lack the survivors that were not tried.
        if let Some(path) = self.write_baseline.as_ref().filter(|_| report.untried == 0) {
            KnownSurvivors::from_traces(&traces).write_file(path)?;
        }
        let hidden = known.map(|known| known.hide_survivors(&mut traces));
        let below: Vec<&TraceMutation<'_>> = traces.iter().filter(|trace| self.misses_min(trace)).collect();
        let text = match self.format {
            MutationFormat::Text => {
                let text =
                    MutationText { report, traces: &traces, shows_all: self.all, hidden, below: &below };
                text.render()
            }
            MutationFormat::Json => render_mutation_json(report, &traces) + "\n",
            MutationFormat::Sarif => render_mutation_sarif(&traces) + "\n",
        };
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        if report.untried > 0 {
            print_to_stderr(&text::render_interruption(report));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let has_new = hidden.is_some() && traces.iter().any(|trace| !trace.survivors.is_empty());
        let failed = has_new || !below.is_empty();
        Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }

    fn misses_min(&self, trace: &TraceMutation<'_>) -> bool {
        self.min.is_some_and(|min| trace.kill_rate() < min)
    }
}

fn is_selected(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}
