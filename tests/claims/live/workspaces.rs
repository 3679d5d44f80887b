//! Workspaces: each run of an agent has a folder and a home to itself, and checks see what it did there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LIVE, RECORD};
use crate::project::{Project, Ran};
use arraign::json::Json;

/// An answer that says nothing of calls.
const DONE: &str = r#"echo "{\"calls\": [], \"answer\": \"done\"}""#;

/// A suite whose agent is a shell script, with these cases.
#[expect(clippy::format_push_string, reason = "the texts of a test are short")]
fn suite(workspace: &str, script: &str, cases: &[(&str, &str)]) -> String {
    let script = Json::from(format!("{script}\n{DONE}"));
    let mut text = format!("defaults:\n  agent: {{command: [sh, -c, {script}]}}\n  input: go\n");
    if !workspace.is_empty() {
        text += &format!("  workspace: {workspace}\n");
    }
    text.push_str("tests:\n");
    for (id, expect) in cases {
        text += &format!("  - {{id: {id}, expect: [{expect}]}}\n");
    }
    text
}

/// A project with a template, and one case.
fn shop(workspace: &str, script: &str, expect: &str) -> Project {
    Project::empty()
        .file("evals/s.yaml", suite(workspace, script, &[("a", expect)]))
        .file("fixtures/shop/src/cart.rs", "a\nb\n")
        .file("fixtures/shop/tests/cart.rs", "t\n")
        .file("fixtures/shop/.gitignore", "target/\n*.log\n")
}

const FROM: &str = "{from: fixtures/shop}";

fn run(project: &Project) -> Ran {
    project.run_with(&[LIVE], &[])
}

fn files_of(project: &Project) -> Json {
    project.verdict("s::a")["runs"][0]["workspace"].clone()
}

/// The scratch folders below a folder for temporary files.
fn list_scratch(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("arraign-")))
        .collect()
}

/// Four agents that append a line to a file, and then count its lines.
fn four(workspace: &str) -> Project {
    let script = r#"echo line >> notes.txt; sleep 1; n=$(wc -l < notes.txt | tr -d " "); echo "{\"calls\": [], \"answer\": \"$n\"}"; exit"#;
    let cases = ["a", "b", "c", "d"].map(|id| (id, r#"{equals: "1"}"#));
    Project::empty().file("evals/s.yaml", suite(workspace, script, &cases))
}

#[test]
fn four_agents_that_write_the_same_file_disturb_each_other_only_without_workspaces() {
    let apart = four("{}");
    run(&apart).exits(0);
    assert!(!apart.path("notes.txt").exists());
    let together = four("");
    let ran = run(&together).exits(101);
    ran.complains("agents changed `notes.txt` in the package while others ran")
        .complains("`workspace: {}` gives each run a folder of its own");
}

#[test]
fn an_agent_works_in_a_copy_with_a_home_of_its_own() {
    let script = r#"echo "$PWD $HOME $TMPDIR $XDG_CONFIG_HOME" > where.txt; pwd >> where.txt; echo x > "$HOME/.gitconfig"; echo more >> src/cart.rs"#;
    let expect = r#"{changes: {only: [src, where.txt], at_most: {files: 2, lines: 3}}}, {file: {path: where.txt, equals: "/workspace /home /home/tmp /home/.config\n/workspace\n"}}"#;
    let project = shop(FROM, script, expect);
    run(&project).exits(0);
    assert_eq!(project.read("fixtures/shop/src/cart.rs"), "a\nb\n");
    let files = files_of(&project);
    assert_eq!((&files["files"], &files["lines"]), (&Json::from(2), &Json::from(3)));
}

#[test]
fn the_paths_of_a_run_are_the_same_in_every_trace() {
    let script = r#"echo "{\"calls\": [{\"call\": \"read\", \"args\": {\"path\": \"$PWD/src/cart.rs\"}}], \"answer\": \"$PWD\"}"; exit"#;
    let project = shop(
        FROM,
        script,
        "{equals: /workspace}, {tool_input: {tool: read, type: jsonpath, path: $.path, equals: /workspace/src/cart.rs}}",
    );
    run(&project).exits(0);
}

/// Each agent does damage, and gets the right word.
#[test]
fn an_agent_that_does_damage_gets_the_right_word_and_does_none() {
    let git = "git init -q . && git -c user.name=a -c user.email=a@b add -A && git -c user.name=a -c user.email=a@b commit -qm x";
    let only = "{changes: {only: [src/**]}}";
    let cases: [(&str, &str, &str, &str, i32, &str); 9] = [
        (
            "a commit hides nothing",
            FROM,
            &format!("echo x > ci.yml; {git}"),
            only,
            101,
            "`ci.yml` changed (added, +1 -0)",
        ),
        ("git is not compared", FROM, git, "{changes: {at_most: {files: 0}}}", 0, ""),
        (
            "rewriting .git",
            FROM,
            &format!("{git}; rm -rf .git; echo x > ci.yml; mkdir .git; echo x > .git/x"),
            only,
            101,
            "`ci.yml` changed",
        ),
        (
            "editing .gitignore",
            FROM,
            "echo '*' > .gitignore; echo x > ci.yml",
            only,
            101,
            "`ci.yml` changed (added",
        ),
        ("ignored files are counted", FROM, "mkdir target; echo x > target/x; echo x > a.log", only, 0, ""),
        (
            "deleting the folder",
            FROM,
            "rm -rf \"$PWD\"",
            "{files: {exists: src/cart.rs}}",
            101,
            "the agent deleted `src/cart.rs`",
        ),
        (
            "a link to /etc",
            FROM,
            "ln -s /etc/passwd src/passwd; rm -rf tests; ln -s /etc tests",
            "{files: {unchanged: tests}}",
            101,
            "the link `tests` leads out of the workspace, to `/etc`",
        ),
        (
            "a link in place of the folder",
            FROM,
            "d=$PWD; cd /; rm -rf \"$d\"; ln -s /etc \"$d\"",
            "{files: {exists: [passwd]}}",
            101,
            "put something else in its place",
        ),
        (
            "too much",
            "{from: fixtures/shop, limits: {changes: 1000}}",
            "head -c 5000 /dev/zero > big",
            only,
            101,
            "the changed files have 5000 bytes, and `limits: {changes}` allows 1000",
        ),
    ];
    for (what, workspace, script, expect, code, said) in cases {
        let temporary = tempfile::tempdir().expect("a folder");
        let project = shop(workspace, script, expect);
        let folder = temporary.path().to_str().expect("a path");
        let ran = project.run_with(&[LIVE, ("TMPDIR", folder)], &[]);
        eprintln!("{what}");
        let ran = ran.exits(code);
        if !said.is_empty() {
            ran.says(said);
        }
        assert_eq!(list_scratch(temporary.path()), Vec::<PathBuf>::new(), "{what}");
        assert_eq!(project.read("fixtures/shop/src/cart.rs"), "a\nb\n", "{what}");
    }
    assert!(Path::new("/etc/passwd").exists());
}

#[test]
fn a_child_that_stays_is_killed_before_the_files_are_read() {
    let script = "(setsid sh -c 'sleep 2; echo late > late.txt' >/dev/null 2>&1 &) ; echo x > src/new.rs";
    let project = shop(FROM, script, "{changes: {only: [src/**], at_most: {files: 1}}}");
    run(&project).exits(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_shell_is_killed_before_its_command() {
    // Each shell goes on as soon as its command has ended, however that came.
    let script = "for n in 1 2 3 4 5 6 7 8 9; do (setsid sh -c \"sleep 9; echo late > late$n.txt\" >/dev/null 2>&1 &) ; done; \
        sleep 0.1; echo x > src/new.rs";
    let project = shop(FROM, script, "{changes: {only: [src/**], at_most: {files: 1}}}");
    run(&project).exits(0);
}

#[test]
fn a_recording_replays_without_the_agent_and_a_changed_template_makes_it_stale() {
    let script = "echo c > src/cart.rs; echo new > src/new.rs; chmod +x src/new.rs; rm tests/cart.rs";
    let expect = "{changes: {only: [src, tests], at_most: {files: 3}}}, {file: {path: src/new.rs, equals: \"new\\n\"}}, \
        {exec: {command: [sh, -c, \"test -x src/new.rs && test ! -e tests/cart.rs && cmp src/cart.rs oracle/cart.rs\"], in: workspace, exit: 0}}";
    let workspace = "{from: fixtures/shop, hidden: {oracle: fixtures/oracle}}";
    let project = shop(workspace, script, expect).file("fixtures/oracle/cart.rs", "c\n");
    project.run_with(&[RECORD], &[]).exits(0);
    let manifest = project.read("evals/traces/s/a.changes/manifest.json");
    assert!(manifest.contains("\"src/new.rs\"") && !manifest.contains("arraign-"), "{manifest}");
    let recorded = project.verdict("s::a");
    let replayed = project.run_with(&[("ARRAIGN_OUT", "replay")], &[]).exits(101);
    replayed.says("the program was not run: a folder of evals cannot allow itself to start one");
    assert_eq!(recorded["runs"][0]["workspace"], project.verdicts("replay")[0]["runs"][0]["workspace"]);
    project.write("fixtures/shop/src/cart.rs", "other\n");
    let stale = project.run_with(&[("ARRAIGN_OUT", "stale")], &[]).exits(101);
    stale.says("workspace");
}

/// A verdict without times, and without what says that the agent itself ran: `live`, and the mode in the command of a rerun.
fn without_times(verdict: &Json) -> Json {
    match verdict {
        Json::Object(entries) => {
            let is_kept = |key: &str| !key.ends_with("_ms") && key != "live";
            let kept = entries.iter().filter(|(key, _)| is_kept(key.as_str()));
            Json::Object(kept.map(|(key, value)| (key.clone(), without_times(value))).collect())
        }
        Json::Array(list) => list.iter().map(without_times).collect(),
        Json::String(text) => text.replace("ARRAIGN_AGENT_MODE=record ", "").into(),
        other => other.clone(),
    }
}

/// The verdicts of the recording run and of its replay are the same to the byte.
#[test]
fn a_replay_gives_the_verdicts_of_the_recording() {
    let script = "echo c > src/cart.rs; echo new > src/new.rs; chmod +x src/new.rs; rm tests/cart.rs; ln -s /etc out; \
        mkdir target; echo x > target/x; echo mine > oracle.txt";
    let exec = "{exec: {command: [sh, -c, 'test -x src/new.rs && cmp src/cart.rs oracle.txt'], in: workspace, exit: 0}}";
    let cases = [
        ("pass", format!("{{changes: {{at_most: {{files: 9}}}}}}, {{file: {{path: src/new.rs, equals: \"new\\n\"}}}}, {exec}")),
        ("fail", "{changes: {only: [src/**]}}, {files: {unchanged: [tests/**], absent: ['**/new.rs']}}, {file: {path: src/cart.rs, contains: z}}, \
            {exec: {command: [sh, -c, 'echo no; exit 3'], in: workspace, exit: 0}}".to_owned()),
    ];
    // A file that is no text is recorded by its hash alone, so its text is not known.
    let unknown = [("undecided", "{file: {path: data.bin, contains: x}}")];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(id, expect)| (*id, expect.as_str())).collect();
    let workspace = "{from: fixtures/shop, hidden: {oracle.txt: fixtures/oracle.txt}}";
    let project = Project::empty()
        .file("evals/s.yaml", suite(workspace, script, &cases))
        .file("evals/t.yaml", suite(FROM, "printf '\\377\\376' > data.bin", &unknown))
        .file("fixtures/shop/src/cart.rs", "a\nb\n")
        .file("fixtures/shop/tests/cart.rs", "t\n")
        .file("fixtures/shop/.gitignore", "target/\n")
        .file("fixtures/oracle.txt", "c\n");
    project.run_with(&[RECORD, ALLOWED, ("ARRAIGN_OUT", "recorded")], &[]).exits(101);
    project.run_with(&[ALLOWED, ("ARRAIGN_OUT", "replayed")], &[]).exits(101);
    let read = |below: &str| {
        let mut verdicts: Vec<Json> = project.verdicts(below).iter().map(without_times).collect();
        verdicts.sort_by_key(|verdict| verdict["name"].to_string());
        verdicts
    };
    let (recorded, replayed) = (read("recorded"), read("replayed"));
    let words: Vec<&str> = recorded.iter().filter_map(|verdict| verdict["status"].as_str()).collect();
    assert_eq!(words, ["fail", "pass", "undecided"]);
    for (recorded, replayed) in recorded.iter().zip(&replayed) {
        assert_eq!(recorded.to_string(), replayed.to_string());
    }
}

/// Lets programs run in a replay.
const ALLOWED: (&str, &str) = ("HARNESS_TEST_ALLOWED", "1");

/// The workspace is built again from the template, its `setup` and the recorded changes.
#[test]
fn a_program_runs_in_the_workspace_of_a_replay() {
    let script = "echo c > src/cart.rs; mkdir -p src/deep; printf 'at %s' \"$PWD\" > src/deep/new.rs; rm tests/cart.rs; ln -s cart.rs src/link.rs";
    let exec = |script: &str| {
        format!("{{exec: {{command: [sh, -c, {}], in: workspace, exit: 0}}}}", Json::from(script))
    };
    let expect = exec(
        "test \"$(cat src/cart.rs)\" = c && test \"$(cat src/deep/new.rs)\" = \"at $PWD\" && test ! -e tests/cart.rs && \
         test -L src/link.rs && test -e made && cmp src/cart.rs oracle/cart.rs && test -d \"$HOME\" && touch gone",
    ) + ", "
        + &exec("test ! -e gone");
    let workspace = "{from: fixtures/shop, setup: [[touch, made]], hidden: {oracle: fixtures/oracle}}";
    let project = shop(workspace, script, &expect).file("fixtures/oracle/cart.rs", "c\n");
    project.run_with(&[RECORD, ALLOWED], &[]).exits(0);
    project.run_with(&[ALLOWED, ("ARRAIGN_OUT", "replay")], &[]).exits(0);
    // The recorded changes are what is judged, and not the template.
    project.write("evals/traces/s/a.changes/files/src/cart.rs", "d\n");
    project.run_with(&[ALLOWED, ("ARRAIGN_OUT", "changed")], &[]).exits(101).says("it exited with 1, not 0");
}

#[test]
fn ignored_files_that_a_replay_lacks_are_told() {
    let script = "mkdir target; echo x > target/x; echo x > src/new.rs";
    let lack = "the workspace was built again without what the agent wrote into ignored files: `target/x`";
    let exec = |word: &str| format!("{{exec: {{command: [test, -e, {word}], in: workspace, exit: 0}}}}");
    let needing = shop(FROM, script, &exec("target/x"));
    needing.run_with(&[LIVE, ALLOWED], &[]).exits(0);
    needing.run_with(&[RECORD, ALLOWED, ("ARRAIGN_OUT", "recorded")], &[]).exits(101);
    needing
        .run_with(&[ALLOWED, ("ARRAIGN_OUT", "replay")], &[])
        .exits(101)
        .says(&format!("it exited with 1, not 0; {lack}"));
    let other = shop(FROM, script, &exec("src/new.rs"));
    other.run_with(&[LIVE, ALLOWED], &[]).exits(0);
    assert!(!other.verdict("s::a").to_string().contains("built again"));
    other.run_with(&[RECORD, ALLOWED, ("ARRAIGN_OUT", "recorded")], &[]).exits(0);
    other.run_with(&[ALLOWED, ("ARRAIGN_OUT", "replay")], &[]).exits(0);
    let replayed = other.verdicts("replay")[0]["findings"].to_string();
    assert!(replayed.contains(lack), "{replayed}");
}

#[test]
fn the_files_of_a_commit_are_the_workspace() {
    let script = "cat note.txt > copy.txt; test ! -e later.txt";
    let project = Project::empty()
        .file(
            "evals/s.yaml",
            suite(
                "{from: {git: ., ref: v1}}",
                script,
                &[("a", "{file: {path: copy.txt, equals: \"one\\n\"}}")],
            ),
        )
        .file("note.txt", "one\n");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(project.path(""))
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments);
        assert!(command.output().expect("git runs").status.success(), "{arguments:?}");
    };
    git(&["init", "-q", "."]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    git(&["tag", "v1"]);
    project.write("note.txt", "two\n");
    project.write("later.txt", "x");
    run(&project).exits(0);
    let unknown = Project::empty()
        .file("evals/s.yaml", suite("{from: {git: ., ref: v9}}", script, &[("a", "{changes: [x]}")]));
    run(&unknown).exits(2).complains("`v9` is no commit of the repository");
}

#[test]
fn setup_comes_before_the_baseline_and_its_failure_is_an_error() {
    let workspace = "{from: fixtures/shop, setup: [[sh, -c, 'echo made > made.txt; mkdir -p target; echo x > target/x']]}";
    let project = shop(workspace, "echo more >> made.txt", "{changes: {at_most: {files: 1, lines: 1}}}");
    run(&project).exits(0);
    let broken = shop("{setup: [[sh, -c, 'echo no such thing >&2; exit 4']]}", "", "{changes: [x]}");
    run(&broken).exits(101).says("has no workspace").says("it exited with code 4").says("no such thing");
    let missing = shop("{from: fixtures/none}", "", "{changes: [x]}");
    run(&missing).exits(2).complains("there is no `evals/fixtures/none`, and no `fixtures/none`");
}

#[test]
fn files_of_a_template_are_no_cases() {
    let project = Project::empty()
        .file(
            "evals/s.yaml",
            suite("{from: shop, hidden: {o: oracle}}", "true", &[("a", "{changes: {at_most: {files: 0}}}")]),
        )
        .file("evals/shop/config.yaml", "port: 80\n")
        .file("evals/oracle/other.json", "{}");
    run(&project).exits(0);
}

#[test]
fn a_kept_workspace_is_named_in_the_verdict() {
    let project = shop(FROM, "echo x > new.txt", "{changes: [new.txt]}");
    project.run_with(&[LIVE, ("ARRAIGN_KEEP_WORKSPACE", "1")], &[]).exits(0);
    let path = files_of(&project)["path"].as_str().expect("a path").to_owned();
    assert_eq!(fs::read_to_string(Path::new(&path).join("new.txt")).expect("the file stays"), "x\n");
    fs::remove_dir_all(Path::new(&path).parent().expect("the scratch folder")).expect("it goes");
}

#[test]
fn an_agent_in_a_workspace_finds_the_package_and_parts_of_the_home() {
    let home = tempfile::tempdir().expect("a home");
    fs::create_dir(home.path().join(".tool")).expect("a folder");
    fs::write(home.path().join(".tool/config"), "kept").expect("a file");
    let script = Json::from(format!(
        "cp \"$1/agent.txt\" . ; cp \"$HOME/.tool/config\" . ; test ! -e \"$HOME/.other\"\n{DONE}"
    ));
    let text = format!(
        "input: go\nagent: {{command: [sh, -c, {script}, sh, '{{{{package}}}}']}}\nworkspace: {{home: {{keep: [.tool]}}}}\n\
         expect: [files: {{exists: [agent.txt, config]}}]\n"
    );
    let project = Project::empty().file("evals/s.yaml", text).file("agent.txt", "x");
    fs::write(home.path().join(".other"), "secret").expect("a file");
    project.run_with(&[LIVE, ("HOME", home.path().to_str().expect("a path"))], &[]).exits(0);
    let notes = project.verdict("s")["runs"][0]["workspace"]["notes"].to_string();
    assert!(notes.contains("links to the user's .tool"), "{notes}");
}

/// Of a home with files that programs read, none is opened.
#[test]
fn nothing_of_the_users_home_is_opened() {
    if Command::new("strace").arg("-V").output().is_err() {
        eprintln!("strace is missing: the test is skipped");
        return;
    }
    let home = tempfile::tempdir().expect("a home");
    for name in [".gitconfig", ".npmrc", ".claude/settings.json", ".ssh/config", ".config/git/config"] {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "").expect("a canary");
    }
    let script = "git init -q . ; git status >/dev/null; cat ~/.npmrc 2>/dev/null; ls ~ >/dev/null; true";
    let project = shop(
        "{from: fixtures/shop, setup: [[git, init, -q, .]]}",
        script,
        "{changes: {at_most: {files: 0}}}, {exec: {command: [git, status], in: workspace, exit: 0}}",
    );
    let log = project.path("strace.log");
    let real = project.command(&[]);
    let mut command = Command::new("strace");
    command
        .args(["-f", "-e", "trace=open,openat,stat,newfstatat,access,readlink", "-o"])
        .arg(&log)
        .arg(real.get_program())
        .args(real.get_args());
    command.envs(real.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(real.get_current_dir().expect("a folder"));
    command.env("ARRAIGN_AGENT_MODE", "live").env("HOME", home.path());
    Ran::of(&mut command).exits(0);
    let log = fs::read_to_string(log).expect("the log");
    let canary = home.path().to_str().expect("a path");
    let opened: Vec<&str> =
        log.lines().filter(|line| line.contains(canary) && !line.contains("execve")).collect();
    assert!(opened.is_empty(), "{}", opened.join("\n"));
    assert!(log.contains("cart.rs"), "the log has what was copied");
}
