//! `cargo arraign calibrate`: a judge against labelled examples.

use std::process::Command;

use libtest_mimic::Trial;

use crate::project::{Project, Ran};
use crate::served::{completion, request};
use crate::server::Server;
use crate::{RECORD, claim, scripted};

pub(crate) fn claims() -> Vec<Trial> {
    vec![
        claim(agreement_and_kappa_are_told_and_replayed),
        claim(examples_without_an_opinion_are_named),
        claim(slips_in_the_file_are_told),
    ]
}

const EXAMPLES: &str = "prompt: Does it say please?
examples:
  - {id: kind, answer: please wait, label: pass}
  - {id: kinder, input: Hurry!, answer: please do come in, label: pass}
  - {id: short, answer: wait, label: fail}
  - {id: curt, answer: please go away, label: fail}
";

fn calibrate(project: &Project, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
    command.args(["arraign", "calibrate", "calibration/tone.yaml"]).args(arguments);
    command.env_remove("ARRAIGN_JUDGE").current_dir(project.path(""));
    Ran::of(command.envs(variables.iter().copied()))
}

fn project(examples: &str) -> (Project, Server) {
    let server = Server::new(|asked, _| completion(&scripted::looked(&request(asked)).to_string()));
    let judge = format!("judge: {{model: m, base_url: '{}'}}\n", server.url("/v1"));
    let project = Project::empty().file("evals/arraign.yaml", judge);
    (project.file("calibration/tone.yaml", examples), server)
}

fn agreement_and_kappa_are_told_and_replayed() {
    let (project, server) = project(EXAMPLES);
    let ran = calibrate(&project, &[RECORD], &[]).exits(0);
    ran.complains("the judge was asked: 4 requests, 4000 tokens read and 400 written");
    let ran = calibrate(&project, &[], &[]).exits(0);
    assert_eq!(
        ran.stdout,
        "judge: m, temperature 0, seed 0\n\
         agreement: 75.0 % (3 of 4)\n\
         Cohen's kappa: 0.500 (moderate)\n              \x20\
 judge: pass judge: fail\n\
         label: pass              2           0\n\
         label: fail              1           1\n\
         it disagrees on:\n  \
           calibration/tone.yaml:6 curt: fail, and the judge says pass: it does\n"
    );
    assert_eq!(server.asked().len(), 4);
    calibrate(&project, &[], &["--min-kappa", "0.5"]).exits(0);
    calibrate(&project, &[], &["--min-kappa", "0.6"]).exits(101);
    assert_eq!(project.files("calibration/cassettes").len(), 4);
}

fn examples_without_an_opinion_are_named() {
    let (project, _server) = project(EXAMPLES);
    let ran = calibrate(&project, &[], &[]).exits(101);
    ran.says("it has no opinion on:\n  calibration/tone.yaml:3 kind: nothing is recorded of it\n")
        .says("record it: ARRAIGN_JUDGE=record cargo arraign calibrate calibration/tone.yaml\n");
}

fn slips_in_the_file_are_told() {
    let (project, _server) =
        project("examples:\n  - {id: a, answr: b, label: passed}\n  - {id: c, answer: d}\n");
    let ran = calibrate(&project, &[], &[]).exits(2);
    ran.complains("did you mean `answer`?")
        .complains("`label` is `pass` or `fail`")
        .complains("the example has no `label`: `pass` or `fail`")
        .complains("the example has no `prompt`, and the file has none for all");
    let ran = calibrate(&Project::empty().file("calibration/tone.yaml", EXAMPLES), &[], &[]).exits(2);
    ran.complains("no judge is named");
}
