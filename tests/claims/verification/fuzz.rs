//! Hostile input: seeded mutations of real texts and runs. No panic, the losses add up, and no input takes more than
//! its share of time.
//!
//! `VERIFICATION_FUZZ_SECONDS=600 cargo test --release --test claims -- --ignored verification::fuzz` runs for ten minutes.

use std::time::{Duration, Instant};

use arraign::__internals::check::Check;
use arraign::Evidence;
use arraign::json::{Json, json};
use arraign::trace::{Arguments, Call, CallStatus, Trace};

use super::subject::{check, hold_losses, saying};

/// xorshift: the same seed, the same inputs.
struct Dice(u64);

fn dice(seed: u64) -> Dice {
    Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides.max(1)
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from[self.roll(from.len())]
    }
}

/// What the rules look for, and what breaks readers.
const PIECES: &[&str] = &[
    "edit ",
    "Write",
    "Read\n",
    "deploy",
    "health check ",
    "status verify health ",
    "line 42",
    "line ",
    "```\n",
    "```py\n",
    "~~~\n",
    "`",
    "``",
    "\"",
    "“",
    "”",
    "> ",
    "should ",
    "work ",
    "I believe ",
    "probably ",
    "seems to ",
    "15 passed ",
    "2 failed, ",
    "all tests pass. ",
    "not ",
    "once ",
    "src/a.rs:42 ",
    "a.py ",
    "coverage ",
    "91% ",
    "output: '",
    "\n",
    "\n\n",
    "- ",
    "healthy ",
    "deployed ",
    "I changed ",
    "mypy ",
    "clean ",
    "İ",
    "ſ",
    "²",
    "\u{301}",
    "é",
    "漢",
    "\u{0}",
    "\u{feff}",
    "🙂",
    "٣",
    "'",
    "\\",
    "$(",
    ")",
    "<<EOF\n",
    "EOF\n",
    "| tee ",
    "> src/a.rs ",
    "&& ",
    "|| true",
    "; ",
    "cat src/a.rs ",
    "pytest -q ",
    "cargo test ",
    "sed -i s/a/b/ src/a.rs ",
    "bash -lc '",
    "git diff ",
    "kubectl apply -f x ",
    "curl x ",
    "powershell -Command ",
    "cmd /c ",
    "Set-Content -Path src\\a.rs -Json ",
    "Get-Content src\\a.rs ",
    "{\"exitCode\": 1} ",
    "Exit Code: 1\n",
    "*** Begin Patch\n",
    "*** Update File: src/a.rs\n",
    "+new line\n",
    "+++ b/src/a.rs\n",
    "@@ -1,3 +1,99999999999 @@\n",
    "42\tlet x = 1;\n",
    "src/a.rs:9:x\n",
    "Exit code 1\n",
    "ok  \tp\t0.1s\n",
    "99999999999999999999 passed ",
    "9999999999999999999 passed ",
    "18446744073709551615\tx\n",
    "for f in *; do ",
    "done ",
    "cd app ",
    "X=1 ",
    "sudo ",
    "timeout 5 ",
    "python -m ",
    "npx ",
    "1..",
    "not ok 1\n",
    "(",
    "[",
    "{",
    "#L",
    "://",
    ":",
    "-",
    "0",
    "/",
    "../",
    "~",
];

const TOOLS: &[&str] = &[
    "Edit",
    "Write",
    "Read",
    "Bash",
    "Grep",
    "apply_patch",
    "shell",
    "MultiEdit",
    "str_replace_editor",
    "mcp__a__b",
    "run_tests",
    "deploy",
    "health",
    "x",
    "",
];

const KEYS: &[&str] = &[
    "file_path",
    "path",
    "command",
    "new_string",
    "content",
    "edits",
    "changes",
    "input",
    "cmd",
    "paths",
    "diff",
    "cwd",
    "x",
];

fn text(dice: &mut Dice, most: usize) -> String {
    let count = dice.roll(most) + 1;
    let mut text = String::new();
    for _ in 0..count {
        let piece = dice.pick(PIECES);
        let times = if dice.roll(20) == 0 { dice.roll(200) } else { 1 };
        (0..times).for_each(|_| text.push_str(piece));
    }
    text
}

fn value(dice: &mut Dice, depth: usize) -> Json {
    match dice.roll(if depth < 3 { 9 } else { 6 }) {
        0..=4 => text(dice, 30).into(),
        5 => json!(dice.roll(100)),
        6 => (0..dice.roll(4)).map(|_| value(dice, depth + 1)).collect(),
        _ => {
            let entries = (0..dice.roll(4)).map(|_| (dice.pick(KEYS).to_owned(), value(dice, depth + 1)));
            Json::Object(entries.collect())
        }
    }
}

fn run(dice: &mut Dice) -> Trace {
    let mut trace = saying(&text(dice, 60));
    for turn in 1..=dice.roll(12) {
        let arguments = match dice.roll(6) {
            0 => Arguments::Broken { raw: text(dice, 20), error: "cut".to_owned() },
            1 => Arguments::Json(value(dice, 0)),
            _ => Arguments::Json(json!({dice.pick(KEYS): value(dice, 1), dice.pick(KEYS): text(dice, 20)})),
        };
        let status =
            [CallStatus::Ok, CallStatus::Error, CallStatus::Unknown, CallStatus::Unanswered][dice.roll(4)];
        let result = (dice.roll(5) > 0).then(|| value(dice, 0));
        let exit_code = (dice.roll(3) == 0).then(|| [0, 1, 127, -1][dice.roll(4)]);
        trace.push_call(Call { status, result, exit_code, ..Call::new(dice.pick(TOOLS), arguments, turn) });
    }
    trace
}

fn length(trace: &Trace) -> usize {
    let call = |call: &Call| {
        call.arguments.to_text().len() + call.result.as_ref().map_or(0, |result| result.to_string().len())
    };
    trace.answer.as_ref().map_or(0, String::len) + trace.calls.iter().map(call).sum::<usize>()
}

fn checks() -> [Box<dyn Check>; 3] {
    [
        check("{profile: text}"),
        check("{profile: trace}"),
        check("{profile: trace, strict: true, on_violation: score}"),
    ]
}

fn hold(checks: &[Box<dyn Check>], trace: &Trace, seed: u64) {
    for check in checks {
        let started = Instant::now();
        let Ok(outcome) = check.check(&arraign::Evidence::of(trace)) else { continue };
        let took = started.elapsed();
        hold_losses(&outcome, &format!("seed {seed}"));
        // Far above what an input of this length takes, far below what one takes that costs its square.
        let limit = Duration::from_millis(40)
            + Duration::from_micros(4) * u32::try_from(length(trace)).unwrap_or(u32::MAX);
        // Another program may have had the processor: what is slow is slow again.
        let is_slow = took > limit && fastest(check.as_ref(), trace) > limit;
        assert!(cfg!(debug_assertions) || !is_slow, "seed {seed}: {} bytes took {took:?}", length(trace));
    }
}

#[test]
fn odd_input_is_answered() {
    let checks = checks();
    for seed in 1..300 {
        hold(&checks, &run(&mut dice(seed)), seed);
    }
}

#[test]
#[ignore = "runs as long as VERIFICATION_FUZZ_SECONDS says"]
fn fuzz() {
    let seconds =
        std::env::var("VERIFICATION_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let checks = checks();
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut seed = 1;
    while Instant::now() < until {
        hold(&checks, &run(&mut dice(seed)), seed);
        seed += 1;
    }
    eprintln!("{seed} inputs in {seconds} s");
}

/// Twice the input may take twice the time and somewhat more; never four times.
#[test]
#[ignore = "measures time: for a quiet machine, in release"]
fn repeated_pieces_take_linear_time() {
    let checks = checks();
    let shell = |line: String| {
        let mut trace = saying("done");
        trace.push_call(Call {
            status: CallStatus::Ok,
            result: Some(line.clone().into()),
            ..Call::new("Bash", Arguments::Json(json!({ "command": line })), 1)
        });
        trace
    };
    for piece in PIECES {
        let traces = |times: usize| {
            [
                saying(&piece.repeat(times)),
                shell(piece.repeat(times)),
                shell(format!("cat {}", piece.repeat(times))),
            ]
        };
        for check in &checks {
            let time = |times: usize| traces(times).map(|trace| fastest(check.as_ref(), &trace));
            let short = time(8_000);
            let long = time(32_000);
            for (short, long) in short.into_iter().zip(long) {
                assert!(long < short * 9 + Duration::from_millis(20), "{piece:?}: {short:?}, then {long:?}");
            }
        }
    }
}

fn fastest(check: &dyn Check, trace: &Trace) -> Duration {
    let time = || {
        let started = Instant::now();
        let _ = check.check(&arraign::Evidence::of(trace));
        started.elapsed()
    };
    (0..5).map(|_| time()).min().unwrap_or_default()
}

#[test]
fn losses_add_up_for_plain_texts_too() {
    for answer in ["", "x", "Edit", "I believe it should work", "deploy start launch"] {
        for check in &checks() {
            // Words that may tell of work are undecided.
            if let Ok(outcome) = check.check(&Evidence::of(&saying(answer))) {
                hold_losses(&outcome, answer);
            }
        }
    }
}
