//! `cargo arraign calibrate`.

use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use arraign::__internals::check::Registry;
use arraign::__internals::evidence::{Absent, Judged, Opinion};
use arraign::__internals::judge::{Agreement, Calibration, Example, Hearing, Mode, Panel};
use arraign::__internals::report::plain::one_line;
use arraign::__internals::source::Files;
use arraign::__internals::suite::workspace;
use clap::Args;

use crate::stop::{Ended, Stop, say, written};

/// Hold the judge against answers that people have labelled: agreement and Cohen's kappa.
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// The labelled examples: `{prompt, examples: [{id, answer, label}]}`
    file: PathBuf,
    /// The folder of cases, whose arraign.yaml names the judge
    #[arg(long, default_value = "evals")]
    evals: PathBuf,
    /// Fail (101) where the kappa is lower
    #[arg(long, value_name = "KAPPA")]
    min_kappa: Option<f64>,
}

impl Calibrate {
    pub(crate) fn run(self) -> Ended {
        let (files, path) = self.files()?;
        let tables =
            workspace(&files, &Registry::default()).map_err(|errors| Stop::new(errors.to_string()))?.tables;
        let calibration =
            Calibration::load(&path, &files, &tables).map_err(|errors| Stop::new(errors.to_string()))?;
        let panel = Panel::new(mode()?, None, |name| env::var_os(name));
        let Some(judge) = &calibration.judge else {
            return Err(Stop::new(
                "no judge is named: write `judge: {model: ..}` into the file, or into arraign.yaml",
            ));
        };
        panel.ready(judge).map_err(Stop::new)?;
        let command = format!("cargo arraign calibrate {}", self.file.to_string_lossy());
        let hearing = Hearing::new(&panel, (&files, &path), command);
        let results = calibration.examples.iter().map(|example| hearing.of_example(&calibration, example));
        let told = Told::of(&calibration.examples, results);
        let judge = panel.judge_of(calibration.judge.as_ref()).unwrap_or_default();
        written(io::stdout().write_all(told.text(&judge).as_bytes()))?;
        if panel.spent().requests > 0 {
            say(&format!("the judge was asked: {}", panel.spent()));
        }
        Ok(if told.is_good(self.min_kappa) { ExitCode::SUCCESS } else { ExitCode::from(101) })
    }

    /// The files that may be read: those of the cases, and the examples with their recordings.
    fn files(&self) -> Result<(Files, PathBuf), Stop> {
        let base = env::current_dir()?;
        let path = self
            .file
            .canonicalize()
            .map_err(|error| Stop::new(format!("{} cannot be read: {error}", self.file.display())))?;
        let folder = path.parent().unwrap_or(&path).to_owned();
        Ok((Files::new(&base, base.join(&self.evals)).allow_root(folder), path))
    }
}

fn mode() -> Result<Mode, Stop> {
    let Ok(word) = env::var("ARRAIGN_JUDGE") else { return Ok(Mode::Replay) };
    let wrong = || Stop::new(format!("ARRAIGN_JUDGE is `{word}`: it is `replay`, `record`, `live` or `off`"));
    Mode::named(&word).ok_or_else(wrong)
}

/// What the judge said of all examples.
#[derive(Default)]
struct Told {
    agreement: Agreement,
    /// Examples on which it disagrees, and those on which it said nothing: one line each.
    disagrees: Vec<String>,
    silent: Vec<String>,
    help: Option<String>,
}

impl Told {
    fn of(examples: &[Example], results: impl Iterator<Item = Result<Opinion, Absent>>) -> Self {
        let mut told = Self::default();
        for (example, result) in examples.iter().zip(results) {
            match result {
                Ok(opinion) => told.add(example, &opinion),
                Err(absent) => told.add_silent(example, absent),
            }
        }
        told
    }

    fn add(&mut self, example: &Example, opinion: &Opinion) {
        let passes = opinion.judged == Judged::Pass;
        self.agreement.count(example.passes, passes);
        if passes != example.passes {
            let (label, judged) = if passes { ("fail", "pass") } else { ("pass", "fail") };
            let why = opinion.reason.as_deref().unwrap_or("it gives no reason");
            let line = format!("{}: {label}, and the judge says {judged}: {why}", at(example));
            self.disagrees.push(line);
        }
    }

    fn add_silent(&mut self, example: &Example, absent: Absent) {
        let why = match absent {
            Absent::Failed(why) => why,
            Absent::Undecided { why, help } => {
                self.help.get_or_insert(help);
                why
            }
        };
        self.silent.push(format!("{}: {why}", at(example)));
    }

    /// Every example has an opinion, and the kappa is as high as it should be.
    fn is_good(&self, min_kappa: Option<f64>) -> bool {
        let reached =
            min_kappa.is_none_or(|least| self.agreement.kappa().is_some_and(|kappa| kappa >= least));
        self.silent.is_empty() && reached
    }

    fn text(&self, judge: &str) -> String {
        let Agreement { both_pass, both_fail, too_easy, too_hard } = self.agreement;
        let mut text = format!("judge: {judge}\n");
        if let Some(share) = self.agreement.share() {
            let (agreed, all) = (both_pass + both_fail, self.agreement.examples());
            let _ = writeln!(text, "agreement: {:.1} % ({agreed} of {all})", share * 100.0);
            let _ = writeln!(text, "Cohen's kappa: {}", self.kappa());
            let _ = writeln!(text, "{:14}{:>12}{:>12}", "", "judge: pass", "judge: fail");
            let _ = writeln!(text, "{:14}{both_pass:>12}{too_hard:>12}", "label: pass");
            let _ = writeln!(text, "{:14}{too_easy:>12}{both_fail:>12}", "label: fail");
        }
        text.push_str(&block("it disagrees on:", &self.disagrees));
        text.push_str(&block("it has no opinion on:", &self.silent));
        if let Some(help) = &self.help {
            let _ = writeln!(text, "{help}");
        }
        text
    }

    fn kappa(&self) -> String {
        match (self.agreement.kappa(), self.agreement.in_words()) {
            (Some(kappa), Some(words)) => format!("{kappa:.3} ({words})"),
            _ => "not defined: all labels and verdicts are alike".to_owned(),
        }
    }
}

fn at(example: &Example) -> String {
    format!("{}:{} {}", example.place.file(), example.place.line(), example.id)
}

/// Lines under a heading, each of them one line whatever a model wrote.
fn block(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("  {}\n", one_line(line))).collect();
    format!("{heading}\n{}", lines.concat())
}
