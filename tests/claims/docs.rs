//! What is derived is held equal to what it is derived from: the README's table and its red trial, the trace formats,
//! and one page a check. `BLESS=1` rewrites them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::case::Tier;
use arraign::__internals::check::{BUILTIN, CheckKind, Registry};
use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::report::block::render_case_block;
use arraign::__internals::report::summary::render_summary;
use arraign::__internals::report::terminal;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite, load_recorded, schema};
use arraign::__internals::verdict::summary::{Group, Row, SUMMARY_VERSION, Summary};
use arraign::json;
use arraign::reader::READERS;
use arraign::verdict::Verdict;

use super::key_tables::{inner_keys_table, keys_table};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds the file at `path` to `text`, or rewrites it.
fn hold(path: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, text).expect("it is written");
    }
    let now = fs::read_to_string(path).unwrap_or_default();
    assert!(now == text, "{} is out of date: `just bless` rewrites it", path.display());
}

/// `text` with what stands between the two comments named `mark` replaced.
fn with_block(text: &str, mark: &str, block: &str) -> String {
    let open = format!("<!-- {mark} -->\n");
    let close = format!("<!-- end of {mark} -->");
    let (before, rest) = text.split_once(&open).unwrap_or_else(|| panic!("no {open}"));
    let (_, after) = rest.split_once(&close).unwrap_or_else(|| panic!("no {close}"));
    format!("{before}{open}{block}{close}{after}")
}

#[test]
fn the_readme_shows_the_table_and_a_real_red_trial() {
    let path = root().join("README.md");
    let shown = BUILTIN.iter().filter(|kind| SHOWN_CHECKS.contains(&kind.name));
    let text = with_block(&read(&path), "some checks", &table("docs/checks/", shown));
    let text = with_block(&text, "the formats", &formats());
    let case = format!("```yaml\n{}```\n", read(&root().join("tests/readme/evals/refund.yaml")));
    let text = with_block(&text, "a case", &case);
    hold(&path, &with_block(&text, "a red trial", &format!("```text\n{}```\n", red_trial())));
    let lines = read(&path).lines().count();
    assert!(lines <= 135, "the README is for five minutes, and has {lines} lines");
}

/// The checks on the first page: one of each kind of question.
const SHOWN_CHECKS: [&str; 6] =
    ["call", "sequence_valid", "tool_blocklist", "grounded", "cost_at_most", "changes"];

/// A row for each check, with a link to its page in `folder`.
fn table<'k>(folder: &str, kinds: impl IntoIterator<Item = &'k CheckKind>) -> String {
    let mut table = "| check | it holds when |\n|---|---|\n".to_owned();
    for kind in kinds {
        writeln!(table, "| [`{0}`]({folder}{0}.md) | {1} |", kind.name, kind.summary).expect("text");
    }
    table
}

/// The formats, by who writes them: what a person looks for.
const FAMILIES: &[(&str, &[&str])] = &[
    ("models", &["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "model-exchanges"]),
    ("coding agents", &["claude-code", "codex", "gemini-cli", "qwen-code", "copilot", "opencode", "pi"]),
    (
        "frameworks",
        &["langchain", "llamaindex", "maf", "semantic-kernel", "pydantic-ai", "vercel-ai", "adk", "rig"],
    ),
    ("telemetry, protocols", &["otel", "mcp", "acp", "ag-ui", "a2a"]),
    ("eval tools", &["inspect", "atif", "mcplab", "evalview"]),
    ("event logs, people", &["episodes", "tool-events", "run-lines", "native"]),
];

/// A row a family. What a summary begins with says whose format it is.
fn formats() -> String {
    let whose = |summary: &'static str| summary.split_once(": ").map_or(summary, |(whose, _)| whose);
    let reader = |name: &str| READERS.iter().find(|reader| reader.name == name).expect(name);
    let told = |name: &&str| format!("{} (`{name}`)", whose(reader(name).summary));
    let mut table = "| written by | formats |\n|---|---|\n".to_owned();
    for (family, names) in FAMILIES {
        let names: Vec<String> = names.iter().map(told).collect();
        writeln!(table, "| {family} | {} |", names.join(", ")).expect("text");
    }
    let told: usize = FAMILIES.iter().map(|(_, names)| names.len()).sum();
    assert_eq!(told, READERS.len(), "each reader is of one family");
    table
}

/// The table, and one section a format: its module's documentation.
#[test]
fn the_page_of_traces_tells_of_each_format() {
    let path = root().join("docs/traces.md");
    let mut table = "| format | what is read |\n|---|---|\n".to_owned();
    let mut sections = String::new();
    for reader in READERS {
        writeln!(table, "| [`{0}`](#{0}) | {1} |", reader.name, reader.summary).expect("text");
        let module = read(&module_of_reader(reader.name));
        let told = module.lines().map_while(|line| line.strip_prefix("//!"));
        writeln!(sections, "### {}\n", reader.name).expect("text");
        let told = told.map(|line| line.strip_prefix(' ').unwrap_or(line));
        told.for_each(|line| writeln!(sections, "{line}").expect("text"));
        sections.push('\n');
    }
    let page = with_block(&read(&path), "the table of formats", &table);
    hold(&path, &with_block(&page, "the formats", &sections));
    // The table of marks stands between the table of ends and the table of a declaration's keys.
    let lines = page.lines().skip_while(|line| !line.starts_with("How each format is recognized"));
    let lines = lines.take_while(|line| !line.starts_with("## Declare a reader"));
    let known: Vec<&str> = lines.filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
    assert_eq!(known, names, "how each format is known, in the order of the readers");
}

fn module_of_reader(name: &str) -> PathBuf {
    let readers = root().join("crates/arraign-trace/src/reader");
    let files = ["", "formats/"].iter().flat_map(|folder| {
        [".rs", "/mod.rs"].map(|end| readers.join(format!("{folder}{}{end}", name.replace('-', "_"))))
    });
    let file = files.into_iter().find(|file| file.exists());
    file.unwrap_or_else(|| panic!("no file reads `{name}`"))
}

#[test]
fn the_page_of_verdicts_shows_a_real_one() {
    let path = root().join("docs/verdict.md");
    let mut verdict = readme_verdict();
    verdict.duration_ms = 0.0;
    verdict.findings.iter_mut().for_each(|finding| finding.duration_ms = 0.0);
    let json = json::to_string_pretty(&verdict).expect("JSON");
    hold(&path, &with_block(&read(&path), "a verdict", &format!("```json\n{json}\n```\n")));
}

/// The suite in `evals/golden`, what its run ends with, and the red trial of a gate.
#[test]
fn the_page_of_golden_datasets_shows_a_real_run() {
    let path = root().join("docs/golden.md");
    let verdicts = golden_verdicts();
    let shown = verdicts.iter().find(|verdict| verdict.name.ends_with("broken_calls")).expect("the row");
    let gate = read(&root().join("tests/report/snapshots/gate.snap"));
    let gate = &gate[gate.find("error[").expect("a diagnostic")..];
    let blocks = [
        ("the rows", "json", read(&root().join("evals/golden/order-rows.json"))),
        ("the suite", "yaml", read(&root().join("evals/golden/orders.yaml"))),
        ("a red gate", "text", gate.to_owned()),
        ("the summary", "text", golden_summary(&verdicts)),
        ("a block", "text", render_case_block(shown)),
    ];
    let page = blocks.into_iter().fold(read(&path), |page, (mark, language, text)| {
        with_block(&page, mark, &format!("```{language}\n{text}```\n"))
    });
    hold(&path, &page);
}

/// Each matcher with its fixture that fails, and what the terminal says of it.
#[test]
fn the_page_of_calls_shows_every_matcher() {
    let path = root().join("docs/calls.md");
    let mut shown = String::new();
    for (matcher, meaning) in MATCHERS {
        let fixture = root().join(format!("tests/check/call/fail-{}.yaml", matcher.replace('_', "-")));
        let case = read(&fixture);
        let said = said_of(&fixture);
        let first = said.split("\n\n").next().unwrap_or_default().trim_end();
        writeln!(shown, "### {matcher}\n\n{meaning}\n\n```yaml\n{case}```\n\n```text\n{first}\n```\n")
            .expect("text");
    }
    let schema = schema::of_cases(&Registry::default());
    let words = schema["definitions"]["matcher"]["properties"].as_object().expect("the words of a matcher");
    for word in words.keys() {
        // These two complete `from`.
        let section = if ["of", "path"].contains(&word.as_str()) { "from" } else { word };
        assert!(MATCHERS.iter().any(|(matcher, _)| *matcher == section), "no section on `{word}`");
    }
    hold(&path, &with_block(&read(&path), "the matchers", &shown));
}

/// The matchers, in the order of the page.
const MATCHERS: &[(&str, &str)] = &[
    ("value", "A plain value. Numbers compare as numbers. Types count, and the order of keys does not."),
    ("equals", "This value, even if it looks like a matcher."),
    ("any", "One of these values or matchers."),
    ("at_least", "A number of at least this."),
    ("at_most", "A number of at most this."),
    ("above", "A number above this."),
    ("below", "A number below this."),
    ("between", "A number between two others, both included."),
    (
        "matches",
        "A text that a JavaScript regular expression matches. Letter case counts, unless the pattern is `/.../i`.",
    ),
    ("contains", "A text that contains this text, or a list that contains this element. Letter case counts."),
    ("starts_with", "A text that starts with this text."),
    ("one_of_type", "A value of this type, or of one of several types. 2.0 is an `integer`."),
    (
        "schema",
        "A value that satisfies a JSON Schema. `$ref`, `anyOf` and the like need the feature `json-schema`.",
    ),
    ("length", "The length of a text in characters, or of a list or mapping. A number, or bounds."),
    ("absent", "The argument must be absent."),
    ("optional", "The argument may be absent. If it is present, its value must satisfy the other words."),
    (
        "jsonpath",
        "An RFC 9535 path selects something. With other words, one of the selected values must satisfy them.",
    ),
    ("similar", "A text that differs in few characters: 1 minus the share of edits (Levenshtein)."),
    (
        "from",
        "A value from elsewhere in the run. `{from: prompt}`: the value occurs in what the user said before the call, as a figure in some spelling \
         (`$1,234.50` is 1234.5) or as whole words; of a list or mapping, each value occurs. Booleans, `null` and empty texts never occur. \
         `{from: result, of: get_order, path: $.total}`: an earlier call of this tool, in an earlier turn, returned the value at this path; the number 30 is \
         the text `$30.00`. A run that does not show the user's text or the result, or only a cut or masked part of it, leaves the check undecided. Beside \
         other keys, or with other values, `from`, `of` and `path` are ordinary keys.",
    ),
    ("nested", "Matchers work inside of mappings and lists. An expected mapping allows no further fields."),
];

fn golden_verdicts() -> Vec<Verdict> {
    let kinds = Registry::default();
    let files = Files::new(root(), root().join("evals"));
    let path = root().join("evals/golden/orders.yaml");
    let tables = arraign::__internals::check::Tables::default();
    let suite =
        Suite::load(&path, Library { kinds: &kinds, files: &files, tables: &tables }).expect("a suite");
    let judge = |case: &std::sync::Arc<arraign::Case>| {
        let runs = load_recorded(case, &path, &files).expect("its recording");
        let name = format!("golden::orders::{}", case.id.as_deref().expect("an id"));
        evaluate_recorded(case, &name, &runs)
    };
    suite.cases.iter().map(judge).collect()
}

fn golden_summary(verdicts: &[Verdict]) -> String {
    let rows: Vec<Row> = verdicts.iter().map(Row::from_verdict).collect();
    let group = Group { gate: Some(0.8), ..Group::from_rows("golden::orders", &rows.iter()) };
    let total = Group::default();
    let suites = vec![group];
    render_summary(&Summary { schema_version: SUMMARY_VERSION, tier: Tier::Full, total, suites })
}

fn red_trial() -> String {
    terminal::render_red_trial(&readme_verdict())
}

fn readme_verdict() -> Verdict {
    let folder = root().join("tests/readme");
    let kinds = Registry::default();
    let files = Files::new(&folder, folder.join("evals"));
    let path = folder.join("evals/refund.yaml");
    let suite = Suite::load(
        &path,
        Library { kinds: &kinds, files: &files, tables: &arraign::__internals::check::Tables::default() },
    )
    .expect("the README's case");
    let runs = load_recorded(&suite.cases[0], &path, &files).expect("its trace");
    evaluate_recorded(&suite.cases[0], "refund::auth_flow", &runs)
}

#[test]
fn each_check_has_its_page() {
    let schema = schema::of_cases(&Registry::default());
    for kind in BUILTIN {
        hold(
            &root().join(format!("docs/checks/{}.md", kind.name)),
            &page(kind, &keys_table("setting", &schema["definitions"]["checks"][kind.name], &schema)),
        );
    }
    let pages = fs::read_dir(root().join("docs/checks")).expect("the pages").count();
    // The other page is the list of all.
    assert_eq!(pages, BUILTIN.len() + 1, "a page without a check");
    hold(&root().join("docs/checks/README.md"), &format!("{HEAD_OF_CHECKS}{}", table("", BUILTIN)));
    let path = root().join("docs/SUMMARY.md");
    let entries = BUILTIN.iter().map(|kind| format!("  - [`{0}`](checks/{0}.md)\n", kind.name));
    hold(&path, &with_block(&read(&path), "the pages of checks", &entries.collect::<String>()));
}

/// What stands above the list of all checks.
const HEAD_OF_CHECKS: &str = "<!-- written by `just bless` -->
# Each check

If you look for the check of a sentence, begin with [I want to say X, write Y](../say.md).

";

#[test]
fn the_page_of_cases_lists_the_keys_that_editors_show() {
    let kinds = Registry::default();
    let cases = schema::of_cases(&kinds);
    let workspace = schema::of_workspace(&kinds);
    let case = &cases["definitions"]["part_of_case"];
    let suite = &cases["definitions"]["suite"];
    let path = root().join("docs/cases.md");
    let tables = [
        ("the keys of a case", keys_table("key", case, &cases)),
        ("the keys of a suite", keys_table("key", suite, &cases)),
        ("the keys of the workspace", keys_table("key", &workspace, &workspace)),
        (
            "the keys inside of values",
            inner_keys_table([(case, &cases), (suite, &cases), (&workspace, &workspace)]),
        ),
    ];
    let page = tables.iter().fold(read(&path), |page, (mark, table)| with_block(&page, mark, table));
    hold(&path, &page);
}

/// The check's module documentation, and what a person sees of its example.
fn page(kind: &CheckKind, settings: &str) -> String {
    let source = source_of(kind);
    let folder = source.parent().expect("a folder");
    let from = shown(&source);
    let name = kind.name;
    let mut page = format!("<!-- written by `just bless` from {from} -->\n# `{name}`\n\n");
    let mut example = None;
    for line in read(&source).lines() {
        if line == "//! <!-- settings -->" {
            page.push_str(settings);
        } else if let Some(text) = line.strip_prefix("//!") {
            writeln!(page, "{}", text.strip_prefix(' ').unwrap_or(text)).expect("text");
        } else if let Some(path) =
            line.strip_prefix("#![doc = include_str!(\"").and_then(|rest| rest.strip_suffix("\")]"))
        {
            let fixture = folder.join(path).canonicalize().expect("a fixture");
            page.push_str(&read(&fixture));
            example.get_or_insert(fixture);
        } else {
            break;
        }
    }
    let example = example.unwrap_or_else(|| panic!("{}: its documentation shows no case", kind.name));
    write!(page, "\nThe terminal shows:\n\n```text\n{}```\n", said_of(&example)).expect("text");
    page
}

fn source_of(kind: &CheckKind) -> PathBuf {
    let groups = [
        "",
        "answer/",
        "budgets/",
        "calls/",
        "combined/",
        "figures/",
        "judged/",
        "order/",
        "trajectory/",
        "workspace/",
        "world/",
    ];
    let files = groups.iter().flat_map(|group| {
        [".rs", "/mod.rs"].map(|end| root().join(format!("src/check/{group}{}{end}", kind.name)))
    });
    // `check/json_schema/` validates for several checks: the check of that name is in `answer/`.
    let has_kind =
        files.into_iter().find(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("const KIND")));
    has_kind.unwrap_or_else(|| panic!("no file has the check `{}`", kind.name))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/")
}

/// The diagnostics in the fixture's snapshot.
fn said_of(fixture: &Path) -> String {
    let stem = fixture.file_stem().expect("a name").to_string_lossy();
    let snapshot = read(&fixture.parent().expect("a folder").join(format!("snapshots/{stem}.snap")));
    let at = snapshot.find("error[").unwrap_or_else(|| panic!("{}: no diagnostic", fixture.display()));
    format!("{}\n", snapshot[at..].trim_end())
}
