//! Every YAML snippet of the pages of vocabularies is a trial: the word behind its fence is the verdict that it gets,
//! and `trace` is the run of all that name none.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::check::{Registry, Tables};
use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::report::terminal;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite, load_recorded};
use arraign::verdict::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};

/// A page, and the folder of cases that its snippets' paths are relative to.
const PAGES: &[(&str, &str)] = &[("docs/eval.md", "evals/eval"), ("docs/expected.md", "evals/expected")];

/// The verdicts that a page must show.
const SHOWN: &[&str] = &["pass", "fail", "undecided", "refused"];

fn main() -> ExitCode {
    let trials = PAGES.iter().flat_map(|(page, folder)| trials(page, folder));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// A fenced block of a page.
struct Snippet {
    line: usize,
    /// What stands behind `yaml` on its fence.
    word: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn trials(page: &'static str, folder: &'static str) -> Vec<Trial> {
    let text = std::fs::read_to_string(root().join(page)).expect("a page");
    let snippets = snippets(&text);
    let shown: Vec<String> = snippets.iter().map(|snippet| snippet.word.clone()).collect();
    let all = Trial::test(format!("{page}::shows_every_verdict"), move || shows_every_verdict(&shown));
    let trace = snippets.iter().find(|snippet| snippet.word == "trace").expect("a trace").text.clone();
    let cases = snippets.into_iter().filter(|snippet| snippet.word != "trace").map(|snippet| {
        let (name, trace) = (format!("{page}::line_{}", snippet.line), trace.clone());
        Trial::test(name, move || hold(&snippet, &trace, &root().join(folder)))
    });
    cases.chain([all]).collect()
}

fn shows_every_verdict(shown: &[String]) -> Result<(), Failed> {
    match SHOWN.iter().find(|word| !shown.iter().any(|shown| shown == *word)) {
        Some(word) => Err(format!("no snippet is marked `{word}`").into()),
        None => Ok(()),
    }
}

fn snippets(page: &str) -> Vec<Snippet> {
    let (mut found, mut open): (Vec<Snippet>, Option<Snippet>) = (Vec::new(), None);
    for (index, line) in page.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => found.extend(open.take()),
            Some(snippet) => snippet.text.extend([line, "\n"]),
            None => {
                let word = line.strip_prefix("```yaml").map(|word| word.trim().to_owned());
                open = word.map(|word| Snippet { line: index + 1, word, text: String::new() });
            }
        }
    }
    found
}

/// Holds the snippet as a file of `folder`, which has the page's trace where it names none.
fn hold(snippet: &Snippet, trace: &str, folder: &Path) -> Result<(), Failed> {
    let (kinds, files, tables) =
        (Registry::default(), Files::new(root(), root().join("evals")), Tables::default());
    let library = Library { kinds: &kinds, files: &files, tables: &tables };
    let path = folder.join("page.yaml");
    let suite = match Suite::parse(&path, &with_trace(&snippet.text, trace), library) {
        Ok(suite) => suite,
        Err(_) if snippet.word == "refused" => return Ok(()),
        Err(errors) => {
            let drawn: Vec<String> = errors.iter().map(terminal::load_error).collect();
            return Err(drawn.join("\n").into());
        }
    };
    for case in &suite.cases {
        let recorded = load_recorded(case, &path, &files)?;
        is(&snippet.word, &evaluate_recorded(case, "page", &recorded))?;
    }
    Ok(())
}

fn is(word: &str, verdict: &Verdict) -> Result<(), Failed> {
    if verdict.status.to_string() == word {
        return Ok(());
    }
    Err(format!("it is `{}`, not `{word}`\n{}", verdict.status, terminal::red_trial(verdict)).into())
}

/// A snippet that names no trace, with `trace` in it: in its defaults where it is a suite.
fn with_trace(text: &str, trace: &str) -> String {
    if text.lines().any(|line| line.starts_with("trace:")) {
        return text.to_owned();
    }
    let is_suite = text.lines().any(|line| ["tests:", "scenarios:"].contains(&line));
    let (head, indent) = if is_suite { ("defaults:\n  trace:\n", "    ") } else { ("trace:\n", "  ") };
    let lines: Vec<String> = trace.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!("{text}{head}{}", lines.concat())
}
