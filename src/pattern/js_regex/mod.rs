//! JavaScript regular expressions, with a JavaScript engine's verdicts.
//!
//! A pattern is read by JavaScript's own grammar without the flag `u` (ECMAScript, Annex B), as Node 20 does, and
//! runs over UTF-16 code units: `.` is half an emoji, `\d`, `\w` and `\b` are ASCII, and case is that of
//! upper-casing single units. Two engines run it:
//!
//! * `regex`, in time linear in the text, where the pattern says what that engine can say;
//! * for look-around, back-references, `\B` and the flag `m`, a backtracking machine of our own, which counts its
//!   steps. `regex` still sifts: a text without what the pattern needs is no match in linear time.
//!
//! `fancy-regex` is not used. Its limit does not count what it delegates: `(?=.*start)(?=.*end)` on a line of 50 KB
//! runs for half a minute in a debug build. And it keeps a group of an earlier round, which JavaScript unsets.
//!
//! What differs from an engine: characters newer than the engine's Unicode tables may fold otherwise; groups nest at
//! most 100 deep; counted repeats written out have at most 50,000 parts.

mod canon;
mod class;
mod cursor;
mod escape;
mod example;
mod flags;
mod foreign;
mod linear;
mod machine;
mod parse;
mod program;
mod syntax;
mod text;
mod units;
mod vacuity;

use std::fmt;
use std::sync::Arc;

use regex::Regex;

use arraign_trace::compiled::{Compiled, SizedForm};
use program::JsProgram;

pub use flags::Flags;
pub use foreign::ForeignConstruct;

static REGEXES: Compiled<JsEngine> = Compiled::empty();

/// The most memory that a byte of a pattern takes in the machine's program: an operation and its set of units.
const BYTES_A_CHARACTER: usize = 128;

/// A compiled JavaScript regular expression.
///
/// ```
/// # use arraign::__internals::pattern::{Flags, JsRegex};
/// let price = JsRegex::new(r"(?<=\$)(?<value>\d+)", Flags::IGNORE_CASE)?;
/// assert_eq!(price.is_match("cost $199"), Ok(true));
/// assert_eq!(price.extract_value("cost $199"), Ok(Some("199".to_owned())));
///
/// let error = JsRegex::new("a{3,2}", Flags::default()).unwrap_err();
/// assert_eq!(error.offset, 1);
/// # Ok::<(), arraign::__internals::pattern::JsRegexError>(())
/// ```
#[derive(Clone)]
pub struct JsRegex {
    text: String,
    flags: Flags,
    engine: Arc<JsEngine>,
}

/// Why a pattern does not compile: a sentence, and the byte in the pattern that it is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsRegexError {
    /// What is wrong and what to do.
    pub message: String,
    /// Where, in bytes from the start of the text.
    pub offset: usize,
}

/// A search took more steps than any sound pattern needs: neither a match nor none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pattern is too expensive for this text: it has too many ways to match, make its parts exclude each other"
)]
pub struct StepsExhausted;

/// The compiled program of a pattern in both engines.
#[derive(Debug)]
struct JsEngine {
    linear: Option<Regex>,
    /// Patterns that each text with a match contains. Other texts need no search by steps.
    needs: Vec<Regex>,
    captures_alike: bool,
    matches_nothing: bool,
    matches_every_text: bool,
    program: JsProgram,
    /// The group that `extract` takes first.
    value: Option<usize>,
}

impl JsRegex {
    /// The largest number of steps of a search that cannot run in linear time.
    pub const MAX_STEPS: usize = 10_000_000;

    /// Compiles `pattern` under `flags`.
    pub fn new(pattern: &str, flags: Flags) -> Result<Self, JsRegexError> {
        let key = format!("{}/{pattern}", flags.to_letters());
        let engine = REGEXES.get(&key, || JsEngine::compile(pattern, flags))?;
        Ok(Self { text: pattern.to_owned(), flags, engine })
    }

    /// Compiles what a user wrote: a pattern, under `default` and the flags of a leading `(?i)`, `(?m)`, `(?s)`; or
    /// a literal `/.../flags`, which has the flags that it says and no other.
    pub fn parse_user(text: &str, default: Flags) -> Result<Self, JsRegexError> {
        let written = flags::split_user_pattern(text, default)?;
        Self::new(written.pattern, written.flags)
            .map_err(|error| JsRegexError { offset: error.offset + written.offset, ..error })
    }

    /// Whether the pattern is found in `text`.
    pub fn is_match(&self, text: &str) -> Result<bool, StepsExhausted> {
        match &self.engine.linear {
            Some(regex) => Ok(regex.is_match(&linear::spread_units(text))),
            None => Ok(self.search_units(text, &encode_utf16(text))?.is_some()),
        }
    }

    /// The text of the group named `value`, else of group 1, else of the whole match; `None` without a match.
    pub fn extract_value(&self, text: &str) -> Result<Option<String>, StepsExhausted> {
        let groups = [self.engine.value, Some(1), Some(0)];
        // The linear engine answers only if its captures are those of JavaScript: a repeated group keeps another text
        // there.
        if let Some(regex) = self.engine.linear.as_ref().filter(|_| self.engine.captures_alike) {
            let text = linear::spread_units(text);
            let Some(captures) = regex.captures(&text) else { return Ok(None) };
            let found = groups.into_iter().flatten().find_map(|group| captures.get(group));
            return Ok(found.map(|found| linear::gather_units(found.as_str())));
        }
        let units = encode_utf16(text);
        let Some(captures) = self.search_units(text, &units)? else { return Ok(None) };
        let found = groups.into_iter().flatten().find_map(|group| *captures.get(group)?);
        Ok(found.map(|(start, end)| String::from_utf16_lossy(&units[start..end])))
    }

    fn search_units(
        &self,
        text: &str,
        units: &[u16],
    ) -> Result<Option<machine::MatchGroups>, StepsExhausted> {
        let spread = linear::spread_units(text);
        // The linear engine excludes most texts before the search by steps begins.
        if self.engine.needs.iter().any(|need| !need.is_match(&spread)) {
            return Ok(None);
        }
        machine::search_program(&self.engine.program, units)
    }

    /// Whether the pattern is proven to match no text: `$a`. `false` if there is no proof.
    pub fn matches_nothing(&self) -> bool {
        self.engine.matches_nothing
    }

    /// Whether the pattern is proven to match every text: `.*`. `false` if there is no proof.
    pub fn matches_every_text(&self) -> bool {
        self.engine.matches_every_text
    }

    /// Finds a text that the engine finds the pattern in. `None` proves nothing.
    pub fn find_matching_text(&self) -> Option<String> {
        let parsed = parse::parse_pattern(&self.text, self.flags).ok()?;
        example::list_matches(&parsed).into_iter().find(|text| self.is_match(text) == Ok(true))
    }

    /// Finds a text that the engine does not find the pattern in. `None` proves nothing.
    pub fn find_other_text(&self) -> Option<String> {
        let parsed = parse::parse_pattern(&self.text, self.flags).ok()?;
        example::list_misses(&parsed).into_iter().find(|text| self.is_match(text) == Ok(false))
    }

    /// Lists what the pattern has from other dialects, and what JavaScript takes for plain characters.
    pub fn find_foreign_constructs(&self) -> Vec<ForeignConstruct> {
        foreign::find_foreign(&self.text)
    }

    /// The pattern, without the slashes and flags around it.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl JsEngine {
    fn compile(pattern: &str, flags: Flags) -> Result<SizedForm<Self>, JsRegexError> {
        let parsed = parse::parse_pattern(pattern, flags)?;
        // The size is that of the repeats written out: `(a{1000}){1000}` is a short text and a huge program.
        if parsed.root.expanded_size() > syntax::MAX_SIZE {
            let message = format!(
                "the counted repeats make the pattern longer than {} parts: use smaller counts",
                syntax::MAX_SIZE
            );
            return Err(JsRegexError { message, offset: 0 });
        }
        let linear = linear::compile_linear(&parsed);
        let needs = linear.clone().map_or_else(|| linear::compile_needs(&parsed), |linear| vec![linear]);
        let bytes = BYTES_A_CHARACTER * pattern.len() + needs.iter().map(|(_, bytes)| bytes).sum::<usize>();
        let engine = Self {
            needs: needs.into_iter().map(|(need, _)| need).collect(),
            linear: linear.map(|(linear, _)| linear),
            captures_alike: linear::has_same_captures(&parsed.root),
            matches_nothing: vacuity::matches_nothing(&parsed.root),
            matches_every_text: vacuity::matches_every_text(&parsed.root),
            value: parsed.names.iter().find(|(name, _)| name == "value").map(|(_, group)| *group),
            program: program::compile_program(&parsed),
        };
        Ok((engine, bytes))
    }
}

fn encode_utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// The literal form: `/pattern/flags`, in which a slash has a backslash.
impl fmt::Display for JsRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/{}", escape_slashes(&self.text), self.flags.to_letters())
    }
}

fn escape_slashes(pattern: &str) -> String {
    let mut literal = String::with_capacity(pattern.len());
    let mut escaped = false;
    for c in pattern.chars() {
        // A slash that is already escaped stays. Two backslashes before it escape each other.
        if c == '/' && !escaped {
            literal.push('\\');
        }
        literal.push(c);
        escaped = c == '\\' && !escaped;
    }
    literal
}

impl fmt::Debug for JsRegex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsRegex({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_shown_as_a_literal_that_means_the_same() {
        for (pattern, literal) in [("a/b", r"/a\/b/"), (r"a\/b", r"/a\/b/"), (r"a\\/b", r"/a\\\/b/")] {
            assert_eq!(JsRegex::new(pattern, Flags::default()).expect("a pattern").to_string(), literal);
        }
    }
}
