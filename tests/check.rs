//! Every case under `tests/check/<check>/` is a trial: the first word of its file's name is the verdict that it
//! must get, and its snapshot is what a person sees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arraign::__internals::check::{BUILTIN, Registry};
use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::outcome::{Item, Status};
use arraign::__internals::report::terminal;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite, load_recorded};
use arraign::verdict::Verdict;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let root = root();
    let mut trials: Vec<Trial> = fixtures(&root).into_iter().map(fixture_trial).collect();
    let claim = |name: &str, hold: fn()| {
        Trial::test(name, move || {
            hold();
            Ok(())
        })
    };
    trials.push(claim("the_table_is_sorted_and_is_what_is_on_disk", table_is_on_disk));
    trials.push(claim("each_check_has_a_case_that_passes_and_one_that_fails", both_verdicts_are_shown));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

fn files() -> Files {
    Files::new(env!("CARGO_MANIFEST_DIR"), root())
}

fn fixtures(root: &Path) -> Vec<PathBuf> {
    let files = files();
    let found = files.walk(root, |path| path.ends_with("policies") || path.ends_with("snapshots"));
    let cases = found.expect("the fixtures").into_iter();
    cases.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

fn fixture_trial(path: PathBuf) -> Trial {
    let below = path.strip_prefix(root()).expect("a fixture").with_extension("");
    let name = below.to_string_lossy().replace('/', "::").replace('-', "_");
    Trial::test(name, move || run(&path))
}

fn run(path: &Path) -> Result<(), Failed> {
    let (kinds, files) = (Registry::default(), files());
    let library =
        Library { kinds: &kinds, files: &files, tables: &arraign::__internals::check::Tables::default() };
    let shown = match Suite::load(path, library) {
        Ok(suite) => suite
            .cases
            .iter()
            .map(|case| {
                let runs = load_recorded(case, path, &files)?;
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let verdict = evaluate_recorded(case, case.id.as_deref().unwrap_or(&stem), &runs);
                assert_eq!(verdict.status, expected(path), "{}", terminal::red_trial(&verdict));
                Ok(show(&verdict))
            })
            .collect::<Result<Vec<String>, String>>()?
            .join("\n"),
        Err(errors) => {
            assert!(stem(path).starts_with("refused-"), "{errors}");
            errors.iter().map(terminal::load_error).collect::<Vec<_>>().join("\n")
        }
    };
    pin(path, &shown);
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn expected(path: &Path) -> Status {
    match stem(path).split('-').next() {
        Some("pass") => Status::Pass,
        Some("fail") => Status::Fail,
        Some("undecided") => Status::Undecided,
        Some("error") => Status::Error,
        _ => panic!(
            "{}: the name begins with the verdict: pass-, fail-, undecided-, error-, refused-",
            path.display()
        ),
    }
}

fn show(verdict: &Verdict) -> String {
    let items = verdict.findings.iter().flat_map(|finding| &finding.items).map(show_item);
    let values = verdict.findings.iter().flat_map(|finding| &finding.values);
    let values = values.map(|(name, value)| format!("{name} = {value}"));
    let items: Vec<String> = items.chain(values).collect();
    format!(
        "{} {:.6}\n{}\n{}",
        verdict.status,
        verdict.score.get(),
        items.join("\n"),
        terminal::red_trial(verdict)
    )
}

fn show_item(item: &Item) -> String {
    let note = item.note.as_deref().map_or(String::new(), |note| format!(" ({note})"));
    format!("{:?} {}{note}", item.state, item.label)
}

fn pin(path: &Path, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(path.parent().expect("a folder").join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(stem(path), shown));
}

fn table_is_on_disk() {
    let names: Vec<&str> = BUILTIN.iter().map(|kind| kind.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    let folders = files().list(&root()).into_iter().map(|path| stem(&path));
    assert_eq!(folders.collect::<Vec<_>>(), names);
}

fn both_verdicts_are_shown() {
    for kind in BUILTIN {
        let stems: Vec<String> = fixtures(&root().join(kind.name)).iter().map(|path| stem(path)).collect();
        for verdict in ["pass-", "fail-"] {
            assert!(stems.iter().any(|stem| stem.starts_with(verdict)), "{}: no case {verdict}*", kind.name);
        }
    }
}
