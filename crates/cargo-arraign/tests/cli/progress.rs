//! The line on a terminal while agents are asked.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::package::Package;

use arraign::json::Json;

const LIVE: (&str, &str) = ("ARRAIGN_AGENT_MODE", "live");
const TERMINAL: (&str, &str) = ("TERM", "xterm");

/// Three cases. Their agents answer one after the other.
fn package() -> Package {
    let case = |id: &str, seconds: &str| {
        let script = format!("sleep {seconds}; echo '{{\"calls\": [\"look\"]}}'");
        let script = Json::from(script);
        format!(
            "  - {{id: {id}, input: hi, agent: {{command: [sh, -c, {script}]}}, expect: [{{tool_blocklist: [rm]}}]}}\n"
        )
    };
    Package::of(&format!("tests:\n{}{}{}", case("soon", "0.1"), case("later", "0.8"), case("last", "1.2")))
}

/// What a terminal of 100 columns is sent while `command` runs: by both of its streams, or by standard error alone.
fn on_a_terminal(command: &mut Command, both: bool) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("it is ours");
    unlockpt(&terminal).expect("it opens");
    let name = ptsname(&terminal, Vec::new()).expect("it has a name");
    let side = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other side");
    let shape = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&side, shape).expect("it has a size");
    let other = if both { Stdio::from(side.try_clone().expect("twice")) } else { Stdio::null() };
    let mut child = command.stdout(other).stderr(Stdio::from(side)).spawn().expect("the program starts");
    // This process lets go of the other side: when the program ends, reading does.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut sent = Vec::new();
    let mut terminal = File::from(terminal);
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = terminal.read(&mut bytes) {
        sent.extend_from_slice(&bytes[..count]);
    }
    child.wait().expect("it ends");
    String::from_utf8(sent).expect("UTF-8")
}

/// The lines of a screen that was sent `text`, which knows how to go back to a line's beginning and to clear it.
fn screen(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut column = 0;
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\r' => column = 0,
            '\n' => {
                lines.push(std::mem::take(&mut line));
                column = 0;
            }
            '\u{1b}' => {
                let order: String = rest.by_ref().take_while_inclusive_letter();
                if order.ends_with('K') {
                    line.clear();
                }
            }
            letter => {
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
    }
    lines.push(line);
    lines.into_iter().map(|line| String::from_iter(line).trim_end().to_owned()).collect()
}

trait Order {
    /// What follows an escape character, with the letter that ends it.
    fn take_while_inclusive_letter(&mut self) -> String;
}

impl<I: Iterator<Item = char>> Order for I {
    fn take_while_inclusive_letter(&mut self) -> String {
        let mut order = String::new();
        for letter in self {
            order.push(letter);
            if letter.is_ascii_alphabetic() {
                break;
            }
        }
        order
    }
}

#[test]
fn a_terminal_sees_who_is_at_work_and_nothing_of_it_stays() {
    let package = package();
    let sent =
        on_a_terminal(package.command(&["run", "--", "--test-threads=4"]).envs([LIVE, TERMINAL]), true);
    let at_work = ["agents 1 of 3: later, last", "agents 1 of 3: last, later"];
    assert!(at_work.iter().any(|line| sent.contains(line)), "{sent:?}");
    assert!(sent.contains("agents 2 of 3: last"), "{sent:?}");
    let lines = screen(&sent);
    assert!(
        !lines.iter().any(|line| line.contains("agents 1 of 3") || line.contains("agents 2 of 3")),
        "{lines:#?}"
    );
    for trial in ["soon", "later", "last"] {
        let whole = lines.iter().any(|line| *line == format!("test s::{trial:<5} ... ok"));
        assert!(whole, "{lines:#?}");
    }
    assert!(lines.iter().any(|line| line.starts_with("test result: ok. 3 passed")), "{lines:#?}");
}

/// A judge that thinks for a while, and then has nothing to say.
#[cfg(feature = "http")]
fn slow_judge() -> String {
    use std::io::Write as _;

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                std::thread::sleep(std::time::Duration::from_millis(900));
                let _ = stream
                    .write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            });
        }
    });
    format!("http://{address}/v1")
}

#[cfg(feature = "http")]
#[test]
fn a_terminal_sees_that_the_judge_is_asked() {
    let case = |id: &str, check: &str| {
        format!("  - {{id: {id}, input: hi, trace: {{calls: [look], answer: x}}, expect: [{check}]}}\n")
    };
    let asks = case("polite", "agent_check: {label: polite, prompt: Is it polite?}");
    let package = Package::of(&format!("tests:\n{asks}{}", case("plain", "tool_blocklist: [rm]")));
    package.write("evals/arraign.yaml", &format!("judge: {{model: m, base_url: {}}}\n", slow_judge()));
    let mut command = package.command(&["run", "--", "--test-threads=4"]);
    let sent =
        on_a_terminal(command.envs([("ARRAIGN_JUDGE", "live"), TERMINAL, ("OPENAI_API_KEY", "k")]), true);
    assert!(sent.contains("judge 0 of 1: s::polite"), "{sent:?}");
    assert!(!screen(&sent).iter().any(|line| line.contains("judge 0 of 1")), "{sent:?}");
    let replayed = on_a_terminal(package.command(&["run", "--", "--test-threads=4"]).envs([TERMINAL]), true);
    assert!(!replayed.contains("judge 0 of 1"), "{replayed:?}");
}

#[test]
fn it_is_drawn_where_standard_error_alone_is_a_terminal() {
    let package = package();
    let sent =
        on_a_terminal(package.command(&["run", "--", "--test-threads=4"]).envs([LIVE, TERMINAL]), false);
    assert!(sent.contains("agents 2 of 3: last"), "{sent:?}");
    assert_eq!(screen(&sent), ["arraign: agents ran 3 times", ""], "{sent:?}");
}

/// The agent itself presses the keys.
#[test]
fn an_interrupt_leaves_nothing_of_it() {
    let script = Json::from("sleep 1; kill -INT $PPID; sleep 60");
    let agent = format!("agent: {{command: [sh, -c, {script}]}}");
    let package = Package::of(&format!(
        "tests:\n  - {{id: a, input: hi, {agent}, expect: [{{tool_blocklist: [rm]}}]}}\n  - {{id: b, trace: {{calls: [look]}}, expect: [{{tool_blocklist: [rm]}}]}}\n"
    ));
    let sent =
        on_a_terminal(package.command(&["run", "--", "--test-threads=4"]).envs([LIVE, TERMINAL]), true);
    assert!(sent.contains("agents 0 of 1: a"), "{sent:?}");
    let lines = screen(&sent);
    assert!(!lines.iter().any(|line| line.contains("agents") || line.contains("test result")), "{lines:#?}");
}

#[test]
fn nobody_else_sees_it() {
    let package = package();
    let quiet: &[(&[&str], (&str, &str))] = &[
        (&[], ("TERM", "dumb")),
        (&[], ("CI", "true")),
        (&[], ("NEXTEST", "1")),
        (&[], ("ARRAIGN_AGENT_MODE", "replay")),
        (&["--list"], TERMINAL),
        (&["--exact", "s::later"], TERMINAL),
        (&["--quiet"], TERMINAL),
        (&["--format=json", "-Zunstable-options"], TERMINAL),
        (&["--test-threads=1"], TERMINAL),
    ];
    for (flags, variable) in quiet {
        let threads = (!flags.contains(&"--test-threads=1")).then_some("--test-threads=4");
        let arguments: Vec<&str> =
            ["run", "--"].into_iter().chain(flags.iter().copied()).chain(threads).collect();
        let mut command = package.command(&arguments);
        command.envs([LIVE, TERMINAL, *variable]);
        let sent = on_a_terminal(&mut command, true);
        assert!(
            !sent.contains("agents 0") && !sent.contains(" of 3: "),
            "{arguments:?} {variable:?}: {sent:?}"
        );
    }
    let ran = package.arraign_with(&[LIVE, TERMINAL], &["run", "--", "--test-threads=4"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "arraign: agents ran 3 times\n"));
}
