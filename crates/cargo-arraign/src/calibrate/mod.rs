//! `cargo arraign calibrate`.

mod agreement;
mod examples;

use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::check::Registry;
use arraign::__internals::evidence::{Absent, Judged, Opinion};
use arraign::__internals::judge::{JudgeMode, JudgePool, JudgeSession};
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::source::Files;
use arraign::__internals::suite::workspace;
use clap::Args;

use self::agreement::Agreement;
use self::examples::{Calibration, LabelledExample};
use crate::error::{CliError, CliResult, exit_after_write, print_to_stderr};

/// Compare the judge with answers that people have labelled: agreement and Cohen's kappa.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// The labelled examples: `{prompt, examples: [{id, answer, label}]}`
    file: PathBuf,
    /// The folder of cases with the arraign.yaml that names the judge
    #[arg(long, default_value = "evals")]
    evals: PathBuf,
    /// Exit with 101 if the kappa is lower
    #[arg(long, value_name = "KAPPA")]
    min_kappa: Option<f64>,
}

impl Calibrate {
    pub(crate) fn run(self) -> CliResult {
        let (files, path) = self.open_files()?;
        let tables = workspace(&files, &Registry::default())
            .map_err(|errors| CliError::new(errors.to_string()))?
            .tables;
        let calibration =
            Calibration::load(&path, &files, &tables).map_err(|errors| CliError::new(errors.to_string()))?;
        let pool = JudgePool::new(read_mode()?, None, |name| env::var_os(name));
        let Some(judge) = &calibration.judge else {
            return Err(CliError::new(
                "no judge is configured: add `judge: {model: ..}` to the file or to arraign.yaml",
            ));
        };
        // A missing key is reported before the first example is asked, not as a result of each.
        pool.check_ready(judge).map_err(CliError::new)?;
        let command = format!("cargo arraign calibrate {}", self.file.to_string_lossy());
        let session = JudgeSession::new(&pool, &files, &path, command);
        let results = calibration.examples.iter().map(|example| example.ask_judge(&session, &calibration));
        let report = CalibrationReport::collect(&calibration.examples, results);
        let judge = pool.judge_name_for(calibration.judge.as_ref()).unwrap_or_default();
        exit_after_write(io::stdout().write_all(report.render(&judge).as_bytes()))?;
        if pool.own_usage().requests > 0 {
            print_to_stderr(&format!("the judge was asked: {}", pool.own_usage()));
        }
        Ok(if report.is_good(self.min_kappa) { ExitCode::SUCCESS } else { ExitCode::from(101) })
    }

    /// Opens the files of the cases, and the examples with their recordings.
    fn open_files(&self) -> Result<(Files, PathBuf), CliError> {
        let base = env::current_dir()?;
        let path = self
            .file
            .canonicalize()
            .map_err(|error| CliError::new(format!("cannot read {}: {error}", self.file.display())))?;
        let folder = path.parent().unwrap_or(&path).to_owned();
        Ok((Files::new(&base, base.join(&self.evals)).allow_root(folder), path))
    }
}

fn read_mode() -> Result<JudgeMode, CliError> {
    let Ok(word) = env::var("ARRAIGN_JUDGE") else { return Ok(JudgeMode::Replay) };
    JudgeMode::find_by_name(&word).ok_or_else(|| {
        CliError::new(format!("invalid ARRAIGN_JUDGE `{word}`: expected `replay`, `record`, `live` or `off`"))
    })
}

/// The judge's opinions on all examples.
#[derive(Default)]
struct CalibrationReport {
    agreement: Agreement,
    /// The examples on which the judge disagrees, and those without an opinion, one line each.
    disagrees: Vec<String>,
    missing: Vec<String>,
    help: Option<String>,
}

impl CalibrationReport {
    fn collect(examples: &[LabelledExample], results: impl Iterator<Item = Result<Opinion, Absent>>) -> Self {
        let mut report = Self::default();
        for (example, result) in examples.iter().zip(results) {
            match result {
                Ok(opinion) => report.add_opinion(example, &opinion),
                Err(absent) => report.add_missing(example, absent),
            }
        }
        report
    }

    fn add_opinion(&mut self, example: &LabelledExample, opinion: &Opinion) {
        // Any other judgement, such as a score, counts as no pass.
        let passes = opinion.judged == Judged::Pass;
        self.agreement.add_example(example.passes, passes);
        if passes != example.passes {
            let (label, judged) = if passes { ("fail", "pass") } else { ("pass", "fail") };
            let why = opinion.reason.as_deref().unwrap_or("no reason given");
            let line = format!("{}: labelled {label}, judged {judged}: {why}", locate_example(example));
            self.disagrees.push(line);
        }
    }

    fn add_missing(&mut self, example: &LabelledExample, absent: Absent) {
        let why = match absent {
            Absent::Failed(why) => why,
            Absent::Undecided { why, help } => {
                self.help.get_or_insert(help);
                why
            }
        };
        self.missing.push(format!("{}: {why}", locate_example(example)));
    }

    /// Whether every example has an opinion and the kappa is high enough.
    fn is_good(&self, min_kappa: Option<f64>) -> bool {
        let reached =
            min_kappa.is_none_or(|least| self.agreement.compute_kappa().is_some_and(|kappa| kappa >= least));
        self.missing.is_empty() && reached
    }

    fn render(&self, judge: &str) -> String {
        let Agreement { both_pass, both_fail, too_easy, too_hard } = self.agreement;
        let mut text = format!("judge: {judge}\n");
        // Without a common opinion there is nothing to compare, and a share of nothing is no number.
        if let Some(share) = self.agreement.agreed_share() {
            let agreed = both_pass + both_fail;
            let all = self.agreement.count_examples();
            let _ = writeln!(text, "agreement: {:.1} % ({agreed} of {all})", share * 100.0);
            let _ = writeln!(text, "Cohen's kappa: {}", self.render_kappa());
            let _ = writeln!(text, "{:14}{:>12}{:>12}", "", "judge: pass", "judge: fail");
            let _ = writeln!(text, "{:14}{both_pass:>12}{too_hard:>12}", "label: pass");
            let _ = writeln!(text, "{:14}{too_easy:>12}{both_fail:>12}", "label: fail");
        }
        text.push_str(&render_block("disagreements:", &self.disagrees));
        text.push_str(&render_block("no opinion:", &self.missing));
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{help}");
        }
        text
    }

    fn render_kappa(&self) -> String {
        match (self.agreement.compute_kappa(), self.agreement.describe_kappa()) {
            (Some(kappa), Some(words)) => format!("{kappa:.3} ({words})"),
            _ => "not defined: all labels and opinions have the same value".to_owned(),
        }
    }
}

fn locate_example(example: &LabelledExample) -> String {
    format!("{}:{} {}", example.place.file(), example.place.line(), example.id)
}

/// Renders lines under a heading. Line breaks from a model are escaped.
fn render_block(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("  {}\n", escape_line(line))).collect();
    format!("{heading}\n{}", lines.concat())
}
