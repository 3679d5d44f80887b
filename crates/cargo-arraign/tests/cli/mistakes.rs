//! Whatever is wrong with a command: exit code 2, what is wrong and what to do, and never a panic.

use crate::package::Package;

const CASE: &str = "{id: a, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n";

/// A command line, and a part of what it must say.
const WRONG: &[(&[&str], &str)] = &[
    (&["acept"], "some similar subcommands exist"),
    (&["run", "--list"], "use '-- --list'"),
    (&["run", "nowhere"], "no folder `nowhere`: name the folder of the cases"),
    (&["run", "file"], "no folder `file`: name the folder of the cases"),
    (&["run", "empty"], "no case below `empty`: an empty run does not pass"),
    (&["lint", "nowhere"], "no folder `nowhere`: name the folder of the cases"),
    (&["lint", "broken"], "the eval files do not load\nerror: "),
    (&["lint", "empty"], "no case in `empty` could be checked"),
    (&["accept"], "no run with verdicts; run the tests first"),
    (&["report"], "no run with verdicts; run the tests first"),
    (&["report", "--run", "nowhere"], "no run `nowhere` in `"),
    (&["report", "--merge", "nowhere"], "not the folder of a run"),
    (&["report", "--format", "wat"], "expected one or more of ctrf, html, json,"),
    (&["compare", "one", "other"], "no run `one`"),
    (&["explain", "nowhere"], "nowhere: No such file"),
    (&["explain", "empty"], "this is a folder, not a file"),
    (&["explain", "bytes"], "not UTF-8"),
    (&["explain", "evals/s.yaml", "--trace-format", "wat"], "help: it is one of "),
    (&["import", "--from", "wat", "file"], "[possible values: assay,"),
    (&["import", "--from", "assay", "nowhere"], "nowhere: No such file"),
    (&["import", "--from", "assay", "bytes"], "bytes: not UTF-8"),
    (&["import", "--from", "evalview", "file"], "found no case to import"),
    (&["init", "nowhere"], "no folder `nowhere`"),
    (&["init", "taken"], "cannot create the folder taken/evals: "),
    (&["calibrate", "nowhere"], "cannot read nowhere"),
    (&["completions", "tcl"], "[possible values: bash,"),
    (&["schema", "--out", "nowhere/schema.json"], "cannot write nowhere/schema.json"),
];

fn package() -> Package {
    let package = Package::of(CASE);
    package.write("file", "");
    package.write("taken/evals", "a file, where a folder belongs");
    package.write("broken/arraign.yaml", "wat: 1");
    std::fs::create_dir(package.path("empty")).expect("a folder");
    std::fs::write(package.path("bytes"), [b'a', 0xff, 0x00]).expect("a file");
    package
}

#[test]
fn every_mistake_is_2_and_says_what_to_do() {
    let package = package();
    for (arguments, said) in WRONG {
        let ran = package.arraign(arguments);
        let shown = format!("{arguments:?}: {:?}\n{}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(ran.code, Some(2), "{shown}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(said), "{shown}");
        assert!(!ran.stderr.starts_with("error: error"), "{shown}");
        assert!(!ran.stderr.contains("panicked") && ran.stdout.is_empty(), "{shown}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_2() {
    let package = package();
    package.arraign(&["run"]);
    for out in ["file", "file/below"] {
        let ran = package.arraign(&["report", "--format", "junit", "--out", out]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("cannot write the report"), "{}", ran.stderr);
    }
    let ran = package.arraign_with(&[("ARRAIGN_OUT", "file")], &["run"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_2() {
    let package = package();
    package.arraign(&["run"]);
    for arguments in [&["run"][..], &["report"], &["lint"], &["schema"], &["man"], &["compare", "a", "b"]] {
        let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let mut command = package.command(arguments);
        let output = command.stdout(full()).stderr(full()).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
