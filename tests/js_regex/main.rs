//! JavaScript regular expressions against engines: recorded verdicts of Node, Node itself where it is installed, and
//! regress; and against patterns that are made to hang an engine.

mod goldens;
mod hostile;
mod node;
mod oracle;
mod random;

use arraign::__internals::pattern::{Exhausted, Flags, JsRegex};

fn regex(pattern: &str, flags: &str) -> JsRegex {
    let flags = Flags::parse(flags).expect("flags");
    JsRegex::new(pattern, flags).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// What an engine says of a pattern and a text.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Invalid,
    NoMatch,
    /// A match, and what is extracted.
    Match(String),
}

/// `None` where the steps ran out.
fn ours(pattern: &str, flags: &str, text: &str) -> Option<Said> {
    let flags = Flags::parse(flags).expect("flags");
    let Ok(regex) = JsRegex::new(pattern, flags) else { return Some(Said::Invalid) };
    let said = match (regex.is_match(text), regex.extract(text)) {
        (Ok(true), Ok(Some(found))) => Said::Match(found),
        (Ok(false), Ok(None)) => Said::NoMatch,
        (Err(Exhausted), _) | (_, Err(Exhausted)) => return None,
        (found, extracted) => panic!("/{pattern}/ on {text:?}: {found:?} but {extracted:?}"),
    };
    Some(said)
}
