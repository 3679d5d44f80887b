//! Variants of agents: how they are defined, selected, run and recorded.

use super::asks;
use crate::project::Project;

/// A project with one case, and this `arraign.yaml`.
fn configured(settings: &str) -> Project {
    Project::of(&[asks("a", "looks", "")]).file("evals/arraign.yaml", settings)
}

#[test]
fn a_variant_says_what_it_lacks() {
    let refused = |settings: &str, problems: &[&str]| {
        let mut ran = configured(settings).run(&["--list"]).exits(2);
        for problem in problems {
            ran = ran.complains(problem);
        }
    };
    refused(
        "variants: {baseline: {}, 'a b': {}}",
        &["`a b` cannot name a variant: a name has letters", "evals/arraign.yaml:1:26"],
    );
    refused("variants: {All: {}}", &["`All` cannot name a variant: the name is reserved"]);
    refused("variants: {attack: {}}", &["the name is reserved"]);
    refused("variants: {x: {modell: y}}", &["unknown key `modell`"]);
    refused("variants: {x: {repeat: 0}}", &["expected a whole number from 1 up"]);
    refused("variants: {x: {env: {'A=B': y}}}", &["`A=B` is no name of a variable"]);
    refused("variants: {x: {env: [A]}}", &["expected a mapping"]);
    refused("matrix: {}", &["`matrix` has no variable"]);
    refused("matrix: {MODEL: []}", &["`MODEL` has no values"]);
    refused("matrix: {MODEL: ['']}", &["an empty value names no variant", "name the value"]);
    refused("matrix: {MODEL: {'a b': x}}", &["`a b` cannot name a variant"]);
    refused("matrix: {MODEL: [all]}", &["`all` cannot name a variant"]);
    let many = format!("[{}]", (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(", "));
    refused(&format!("matrix: {{A: {many}, B: {many}}}"), &["more than 1000 combinations"]);
}

#[test]
fn equal_names_are_a_mistake_without_regard_to_case() {
    let refused = |settings: &str, problem: &str| {
        drop(configured(settings).run(&["--list"]).exits(2).complains(problem))
    };
    refused(
        "variants: {terse: {}, Terse: {}}",
        "the variants `terse` and `Terse` differ in upper and lower case only",
    );
    refused("variants: {small: {}}\nmatrix: {MODEL: [small]}", "two variants are called `small`");
    refused("matrix: {MODEL: [a/b, a_b]}", "two variants are called `a_b`");
    refused("agents: {Other: {command: [x]}}\nvariants: {other: {}}", "an agent is called `Other`, too");
}

#[test]
fn a_value_that_looks_like_a_secret_is_refused() {
    for settings in [
        "variants: {x: {env: {OPENAI_API_KEY: sk-proj-Zk3vT9qLw8Xr2Bn6Yh4Jm7Pd}}}",
        "variants: {x: {env: {MODEL_URL: 'https://user:hunter2-long-word@models.example/v1'}}}",
        "matrix: {GITHUB_TOKEN: [ghp_16C7e42F292c6912E7710c838347Ae178B4a, none]}",
    ] {
        let ran = configured(settings).run(&["--list"]).exits(2);
        let ran = ran.complains("looks like a secret").complains("list its name in the `env` of the agent");
        assert!(!ran.stdout.contains("hunter2") && !ran.stdout.contains("ghp_"), "{}", ran.stdout);
    }
    let harmless = "variants: {x: {env: {MAX_TOKENS: 100, MODEL: gpt-6-mini, PROMPT: prompts/terse.md}}}";
    configured(harmless).run(&["--list"]).exits(0);
}
