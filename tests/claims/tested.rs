//! `docs/tested.md` says what a green trial means, and what it does not. Each entry of its two lists is shown by cases and
//! tests: a changed entry is a changed row here.

use std::fs;
use std::path::Path;

/// An entry of a list, word for word, with what shows it: a file, or a function of a file of tests (`FILE::FUNCTION`).
type Row = (&'static str, &'static [&'static str]);

const MEANS: &[Row] = &[
    (
        "Every check of the case holds on every run that counts, or the case expects \
         [another verdict](case-settings.md#which-verdict-is-right-expect_verdict).",
        &[
            "tests/claims/harness/runs.rs::all_runs_of_a_file_must_hold",
            "tests/claims/harness/cases.rs::each_expected_verdict_takes_that_one_only",
        ],
    ),
    (
        "The trace contains all data that the checks need. If it does not, the trial is `undecided` and red.",
        &[
            "tests/claims/absent_evidence.rs::no_check_passes_on_a_trace_that_records_nothing",
            "tests/check/grounded/undecided-no-result-recorded.yaml",
            "tests/check/not_called/undecided-arguments-that-cannot-be-read.yaml",
        ],
    ),
    (
        "The run ended well, as far as its trace says, or what it shows settles the check. A call that a check expects was \
         answered, and its result does not look like a failure.",
        &[
            "crates/arraign-trace/tests/claims/ends.rs::each_format_says_how_its_run_ended",
            "tests/check/call/pass-although-the-run-broke-off.yaml",
            "tests/check/tool_called/pass-answered.yaml",
            "tests/check/tool_called/undecided-success-not-known.yaml",
        ],
    ),
    (
        "The reader understood each part of the trace that could be a tool call. Where a check says that a tool was not called, \
         the file shows that its writer records calls, or somebody said so (`format`).",
        &[
            "crates/arraign-trace/tests/claims/logs.rs::a_list_of_texts_shows_no_calls_unless_something_in_the_file_would",
            "tests/check/not_called/undecided-unread.yaml",
            "tests/claims/absent_evidence.rs::no_file_that_is_not_understood_obeys_a_rule_that_forbids_all_calls",
            "crates/arraign-trace/tests/claims/drift.rs::a_renamed_mark_of_a_call_is_never_a_run_without_calls",
        ],
    ),
    (
        "No call has [nearly the name](traces.md#near-names) of a tool that a check forbids or restricts, unless the case or the \
         trace says that it is another tool.",
        &[
            "tests/check/not_called/undecided-a-prefix-of-a-host.yaml",
            "tests/check/not_called/pass-a-near-name-that-the-case-names.yaml",
            "tests/check/not_called/pass-a-near-name-that-was-offered-beside.yaml",
        ],
    ),
    (
        "The run was recorded for the input of the case and by its agent, as far as the trace tells: by its fingerprint, or by \
         the [words of the user](traces.md#the-run-of-a-case).",
        &[
            "tests/claims/fit.rs::a_run_fits_if_the_first_user_message_has_the_input_as_lines_of_its_own",
            "tests/claims/fit.rs::a_recording_contains_the_fingerprint_of_its_input",
            "tests/claims/live/in_process.rs::a_recording_of_one_agent_is_none_of_another",
        ],
    ),
];

const MEANS_NOT: &[Row] = &[
    (
        "**That another run would pass.** A model answers differently each time. Record several runs (`repeat: 5`) and set a \
         [pass rate](expected.md#several-runs).",
        &["tests/claims/harness/runs.rs::a_glob_gives_the_runs_in_natural_order"],
    ),
    (
        "**That a ban covers what a tool does.** A ban names tools. Another tool that does the same, under a name that is not near, \
         is not banned.",
        &["tests/check/not_called/pass-a-single-underscore.yaml"],
    ),
    (
        "**That a named format tells all.** `format: openai-chat` on a list of roles and texts is believed: if its writer leaves \
         calls out, they are not seen.",
        &["tests/claims/runs_of_case.rs::a_format_that_is_named_anywhere_decides_a_list_of_texts"],
    ),
    (
        "**That the world is as the trace says.** The result of a tool is evidence of what the agent saw. Whether the order was \
         really refunded is a question for a test of the tool.",
        &["tests/check/tool_called/pass-it-succeeded.yaml"],
    ),
    (
        "**That the answer is true.** [`grounded`](checks/grounded.md) compares figures, dates, ids and quotations with the \
         evidence. It does not understand the meaning of the words.",
        &[
            "tests/check/grounded/pass-figures-without-their-meaning.yaml",
            "tests/check/grounded/fail-wrong-price.yaml",
        ],
    ),
    (
        "**That nothing else is wrong.** A case tests what it says. `cargo arraign lint` lists tools and arguments that no case \
         tests, and [`cargo arraign mutate`](mutation.md) lists changes of your traces that no case notices.",
        &[
            "crates/cargo-arraign/tests/cli/lint.rs::each_thing_left_untested_is_a_line",
            "crates/cargo-arraign/tests/cli/mutate.rs::each_survivor_is_a_line_with_a_check_that_notices_it",
        ],
    ),
];

#[test]
fn each_line_on_what_green_means_is_shown_by_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/tested.md")).expect("the page");
    let mut wrong = Vec::new();
    for (heading, rows) in [("What a green trial means", MEANS), ("What it does not mean", MEANS_NOT)] {
        let entries = list_entries(&page, heading);
        assert!(!entries.is_empty(), "no list under `{heading}`");
        for entry in &entries {
            if !rows.iter().any(|(said, _)| squeeze(said) == *entry) {
                wrong.push(format!("no row for this entry of `{heading}`: {entry}"));
            }
        }
        for (said, shown) in rows {
            if !entries.contains(&squeeze(said)) {
                wrong.push(format!("`{heading}` does not say: {said}"));
            }
            assert!(!shown.is_empty(), "nothing shows: {said}");
            wrong.extend(
                shown.iter().filter(|place| !is_there(root, place)).map(|place| format!("{place} is gone")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The entries below a heading, each on one line.
fn list_entries(page: &str, heading: &str) -> Vec<String> {
    let below = page.split(&format!("## {heading}\n")).nth(1).unwrap_or_default();
    let section = below.split("\n## ").next().unwrap_or_default();
    section.split("\n- ").skip(1).map(squeeze).collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a file is there, and has the function.
fn is_there(root: &Path, place: &str) -> bool {
    let (file, function) = place.split_once("::").map_or((place, None), |(file, name)| (file, Some(name)));
    let Ok(text) = fs::read_to_string(root.join(file)) else { return false };
    function.is_none_or(|name| text.contains(&format!("fn {name}(")))
}
