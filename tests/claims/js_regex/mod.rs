//! JavaScript regular expressions against engines: recorded verdicts of Node, and regress; and against patterns that are made to hang an engine.

mod engine;
mod goldens;
mod hostile;
mod oracle;
mod random;

use arraign::__internals::pattern::{Flags, JsRegex, StepsExhausted};

use engine::{AnswerScope, ours};

fn regex(pattern: &str, flags: &str) -> JsRegex {
    let flags = Flags::parse_flags(flags).expect("flags");
    JsRegex::new(pattern, flags).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}
