//! Our engine as one among others.

use arraign::__internals::pattern::{Flags, JsRegex, StepsExhausted};

/// What an engine says of a pattern and a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerScope {
    Invalid,
    NoMatch,
    /// A match, and what is extracted.
    Match(String),
}

/// `None` where the steps ran out.
pub(crate) fn ours(pattern: &str, flags: &str, text: &str) -> Option<AnswerScope> {
    let flags = Flags::parse_flags(flags).expect("flags");
    let Ok(regex) = JsRegex::new(pattern, flags) else { return Some(AnswerScope::Invalid) };
    let said = match (regex.is_match(text), regex.extract_value(text)) {
        (Ok(true), Ok(Some(found))) => AnswerScope::Match(found),
        (Ok(false), Ok(None)) => AnswerScope::NoMatch,
        (Err(StepsExhausted), _) | (_, Err(StepsExhausted)) => return None,
        (found, extracted) => panic!("/{pattern}/ on {text:?}: {found:?} but {extracted:?}"),
    };
    Some(said)
}
