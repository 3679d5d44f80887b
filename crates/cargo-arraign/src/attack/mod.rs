//! `cargo arraign attack [DIR]`.

mod text;
mod write;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::attack::{AttackPack, SHIPPED};
use arraign::__internals::harness::{AttackRun, AttackSettings, run_attacks};
use arraign::__internals::report::plain;
use arraign::__internals::report::terminal::render_load_error;
use arraign::__internals::source::write_whole;
use arraign::__internals::verdict::quoted;
use arraign::Harness;
use clap::Args;

use self::text::render_report;
use self::write::write_cases;
use crate::error::{CliError, CliResult, FAILED, exit_after_write};
use crate::file_options::FileOptions;
use crate::out::locate_out_folder;
use crate::run::require_folder;

/// The largest number of attacks on a case, unless the user names another.
const DEFAULT_MOST: usize = 100;

/// The file of the results, below the folder of the reports.
const RESULTS: &str = "attack.json";

/// Put texts of an attacker into what the mock tools answer, and find out which ones the agents obey.
///
/// Each text that a run of a case with `mocks` reads is a place. An attack adds one text of the pack to one place, which asks for a
/// call of a decoy and for a word in the answer. The cases run as they are first, and those that pass run once for each attack.
/// `ARRAIGN_AGENT_MODE` says whether agents run, as for `run`. Exits with 101 if an attack succeeded or is undecided.
#[derive(Debug, Args)]
pub(crate) struct Attack {
    /// The folder of the cases.
    #[arg(default_value = "evals")]
    folder: PathBuf,
    /// The texts: `injection`, or a YAML file.
    #[arg(long, value_name = "PACK", default_value = SHIPPED)]
    pack: String,
    /// The largest number of attacks on a case. The same ones are drawn each time.
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_MOST, value_parser = parse_most)]
    most: usize,
    /// The variant of the agents. Default: the baseline.
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Let agents with a recorded model run in a replay, and the programs of `exec`.
    #[arg(long)]
    allow_exec: bool,
    /// The folder of the verdicts, of the reports and of `attack.json`. Default: `ARRAIGN_OUT`, or `target/arraign`.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the attacks as ordinary cases, to a file `NAME.attacks.yaml` beside each file of cases.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    files: FileOptions,
    /// Filters and flags of libtest for the trials of attacks: `--list`, `--exact NAME`, `--skip TEXT`, ...
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

impl Attack {
    pub(crate) fn run(self) -> CliResult {
        require_folder(&self.folder)?;
        let pack = read_pack(&self.pack)?;
        let here = env::current_dir()?;
        let command = self.describe_command();
        let make_harness = || {
            let harness = Harness::new(&self.folder).at(&here).rerun(&command);
            let harness = if self.allow_exec { harness.allow_exec() } else { harness };
            self.files.apply_to(harness)
        };
        let out = self.out.clone().map(|out| here.join(out));
        let settings =
            AttackSettings { pack, most: self.most, variant: self.variant.clone(), out: out.clone() };
        let AttackRun { report, planned } = match run_attacks(make_harness, &self.arguments, &settings) {
            Ok(run) => run,
            // The reason has been printed.
            Err(code) => return Ok(code),
        };
        let path = out.unwrap_or_else(locate_out_folder).join(RESULTS);
        write_results(&path, &(plain::render_safe_json(&report) + "\n"))?;
        let mut text = render_report(&report, &path.display().to_string());
        if self.write {
            text += &write_cases(&make_harness(), &here.join(&self.folder), &report, &planned)?;
        }
        exit_after_write(io::stdout().write_all(text.as_bytes()))?;
        Ok(if report.fails() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }

    /// Returns the command that makes an attack again, without `--exact NAME`.
    fn describe_command(&self) -> String {
        let mut words = vec!["cargo arraign attack".to_owned()];
        let folder = self.folder.to_string_lossy();
        if folder != "evals" {
            words.push(quoted(&folder));
        }
        if self.pack != SHIPPED {
            words.push(format!("--pack {}", quoted(&self.pack)));
        }
        // The number decides which attacks are drawn.
        if self.most != DEFAULT_MOST {
            words.push(format!("--most {}", self.most));
        }
        if self.allow_exec {
            words.push("--allow-exec".to_owned());
        }
        words.push("--".to_owned());
        words.join(" ")
    }
}

fn parse_most(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|most| *most > 0).ok_or_else(|| "expected a number above 0".to_owned())
}

/// Reads a pack: the one that arraign ships, or a file.
fn read_pack(name: &str) -> Result<AttackPack, CliError> {
    let read = if name == SHIPPED {
        AttackPack::shipped()
    } else {
        let text = fs::read_to_string(name).map_err(|error| {
            CliError::new(format!("{name}: {error}\na pack is `{SHIPPED}`, or a YAML file with templates"))
        })?;
        AttackPack::parse(Path::new(name), &text)
    };
    read.map_err(|errors| {
        CliError::new(errors.iter().map(render_load_error).collect::<Vec<String>>().join("\n"))
    })
}

fn write_results(path: &Path, text: &str) -> Result<(), CliError> {
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write_whole(path, text.as_bytes()));
    written.map_err(|error| CliError::new(format!("{}: {error}", path.display())))
}
