//! `cargo arraign mutate --fix`: the checks that notice the survivors, written into the cases.

use crate::package::Package;
use crate::program::pin;

/// A case in a file that people care for: comments, blank lines, quotes, and a neighbour that stays as it is.
const CASES: &str = r#"# Refunds, as the shop's agent handles them.
suite: refunds   # the name of the suite
tests:
  - id: refunds_the_order
    expect:
      - tool_called: refund   # the money goes back

      # and the customer hears of it
      - contains: "refunded"

    trace:
      - user: Please refund order 7.
      - {call: get_order, args: {id: 7}, result: {total: 30}}
      - {call: refund, args: {order: 7, amount: 30}, result: {ok: true}}
      - say: I have refunded $30 for order 7.

  # The other one.
  - {id: greets, expect: [{contains: hello}], trace: {answer: "hello, Ada", calls: []}}
"#;

#[test]
fn checks_that_notice_the_survivors_are_added_and_everything_else_stays() {
    let package = Package::of(CASES);
    let ran = package.arraign(&["mutate", "--fix=all"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let fixed = package.read("evals/s.yaml");
    pin("mutate-fix", &format!("{fixed}\n{}", ran.stdout));
    let mut rest = fixed.as_str();
    for line in CASES.lines().filter(|line| !line.contains("greets")) {
        let at = rest.find(line).unwrap_or_else(|| panic!("{line} is gone: {fixed}"));
        rest = &rest[at + line.len()..];
    }
    assert_eq!(package.arraign(&["run"]).code, Some(0));
    assert_eq!(package.arraign(&["mutate", "--min", "0.9"]).code, Some(0), "the mutants are noticed");
    let again = package.arraign(&["mutate", "--fix=all"]);
    assert!(again.stdout.starts_with("no check was added\n"), "{}", again.stdout);
    assert_eq!(package.read("evals/s.yaml"), fixed);
}

#[test]
fn a_baseline_leaves_known_survivors_alone() {
    let package = Package::of(CASES);
    assert_eq!(package.arraign(&["mutate", "--write-baseline", "known.json"]).code, Some(0));
    let ran = package.arraign(&["mutate", "--fix=all", "--baseline", "known.json"]);
    assert!(ran.stdout.starts_with("no check was added\n"), "{}", ran.stdout);
    assert_eq!(package.read("evals/s.yaml"), CASES);
}

#[test]
fn nothing_is_written_where_nobody_watches() {
    let package = Package::of(CASES);
    let ran = package.arraign_with(&[("CI", "true")], &["mutate", "--fix=all"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`--fix` writes nothing in CI"), "{}", ran.stderr);
    let ran = package.arraign(&["mutate", "--fix"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`--fix=all` does not ask"), "{}", ran.stderr);
    assert_eq!(package.read("evals/s.yaml"), CASES);
}

/// Runs `--fix=all`, which must refuse the case for this reason and leave the file as it is.
fn assert_refused(package: &Package, file: &str, why: &str) {
    let before = package.read(file);
    let ran = package.arraign(&["mutate", "--fix=all"]);
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.starts_with("not fixed: evals/") && ran.stderr.contains(why), "{}", ran.stderr);
    assert_eq!(package.read(file), before);
}

#[test]
fn checks_that_other_cases_share_are_not_edited() {
    let package = Package::of(
        "tests:\n  - {id: a, expect: &e [{contains: Ada}], trace: {answer: Ada and 1, calls: []}}\n  - {id: b, expect: *e, \
         trace: {answer: Ada, calls: []}}\n",
    );
    assert_refused(&package, "evals/s.yaml", "shared by an anchor");
}

#[test]
fn rows_of_a_dataset_are_not_edited() {
    let package = Package::of(
        "dataset: rows.json\ndefaults: {expect: [{contains: Ada}], trace: {answer: Ada and 1, calls: []}}\n",
    );
    package.write("evals/rows.json", r#"[{"id": "a", "input": "Who?"}]"#);
    assert_refused(&package, "evals/rows.json", "row of a dataset");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_and_a_link_stay() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let package = Package::of(CASES);
    let file = package.path("evals/s.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("it is ours");
    assert_refused(&package, "evals/s.yaml", "the file is read-only");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    fs::create_dir(package.path("evals/policies")).expect("a folder");
    fs::rename(&file, package.path("evals/policies/s.yaml")).expect("it moves");
    symlink("policies/s.yaml", &file).expect("a link");
    assert_refused(&package, "evals/s.yaml", "the file is a link");
    fs::remove_file(&file).expect("the link");
    fs::rename(package.path("evals/policies/s.yaml"), &file).expect("it moves back");
    assert_eq!(package.arraign(&["mutate", "--fix=all"]).code, Some(0));
    let mode = fs::metadata(&file).expect("the file").permissions().mode() & 0o777;
    assert_eq!(mode, 0o640, "the file has the permissions that it had");
}

/// On a terminal each check is a question.
#[cfg(unix)]
mod terminal {
    use std::fs::{self, File};
    use std::io::{Read as _, Write as _};
    use std::process::{Child, Stdio};

    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::CASES;
    use crate::locate_in_repository;
    use crate::package::Package;

    /// The program with a terminal as its input.
    struct AskingProgram {
        child: Child,
        keyboard: File,
    }

    impl AskingProgram {
        fn start(package: &Package) -> Self {
            let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
            grantpt(&terminal).expect("it is ours");
            unlockpt(&terminal).expect("it opens");
            let name = ptsname(&terminal, Vec::new()).expect("it has a name");
            let side =
                open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other side");
            let mut command = package.command(&["mutate", "--fix"]);
            command.stdin(Stdio::from(side)).stdout(Stdio::piped()).stderr(Stdio::piped());
            Self { child: command.spawn().expect("the program starts"), keyboard: File::from(terminal) }
        }

        /// Returns what was shown up to the end of the next question.
        fn wait_for_question(&mut self) -> String {
            let mut shown = Vec::new();
            let stdout = self.child.stdout.as_mut().expect("a pipe");
            while !shown.ends_with(b"[q]uit: ") {
                let mut byte = [0];
                stdout
                    .read_exact(&mut byte)
                    .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&shown)));
                shown.push(byte[0]);
            }
            String::from_utf8(shown).expect("UTF-8")
        }

        fn answer(&mut self, text: &str) {
            self.keyboard.write_all(text.as_bytes()).expect("it listens");
        }

        fn finish(mut self) -> (Option<i32>, String, String) {
            let mut stdout = String::new();
            let mut stderr = String::new();
            self.child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
            self.child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
            (self.child.wait().expect("it ends").code(), stdout, stderr)
        }
    }

    #[test]
    fn only_accepted_checks_are_written() {
        let package = Package::of(CASES);
        let mut program = AskingProgram::start(&package);
        program.wait_for_question();
        program.answer("n\n");
        program.wait_for_question();
        program.answer("what?\n");
        program.wait_for_question();
        program.answer("y\n");
        program.wait_for_question();
        program.answer("q\n");
        let (code, stdout, stderr) = program.finish();
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
        assert!(stdout.contains("added 1 check to `s::refunds_the_order`"), "{stdout}");
        let fixed = package.read("evals/s.yaml");
        assert_eq!(fixed.lines().count(), CASES.lines().count() + 1, "{fixed}");
    }

    #[test]
    fn the_page_shows_a_real_question() {
        let page = fs::read_to_string(locate_in_repository("docs/mutation.md")).expect("a page");
        let block = |language: &str| {
            let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a block");
            rest.split_once("```").expect("its end").0
        };
        let package = Package::of("");
        fs::remove_file(package.path("evals/s.yaml")).expect("a file");
        package.write("evals/refund.yaml", block("yaml"));
        let mut program = AskingProgram::start(&package);
        let shown = program.wait_for_question();
        program.answer("q\n");
        program.finish();
        let (_, expected) = block("console").split_once('\n').expect("the command");
        assert_eq!(shown, expected.trim_end().trim_end_matches('y'));
    }

    #[test]
    fn a_file_that_changes_meanwhile_is_not_written() {
        let package = Package::of(CASES);
        let mut program = AskingProgram::start(&package);
        program.wait_for_question();
        let changed = CASES.replace("# The other one.", "# Another one.");
        package.write("evals/s.yaml", &changed);
        program.answer("all\n");
        let (code, stdout, stderr) = program.finish();
        assert_eq!(code, Some(101), "{stdout}");
        assert!(stderr.contains("the file changed while the mutants were tried"), "{stderr}");
        assert_eq!(package.read("evals/s.yaml"), changed);
    }
}
