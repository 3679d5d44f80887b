//! Why a text is no pattern.

use std::fmt;

/// Why a text is no pattern of names, paths or texts. The message is a sentence for the user.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is empty.
    #[error("an empty name matches nothing")]
    Empty,
    /// The glob has more bytes than a name has.
    #[error("the pattern is longer than {0} bytes")]
    TooLong(usize),
    /// The text is a regular expression where globs are read.
    #[error("`{0}` looks like a regular expression: names of tools take globs, `*order`")]
    RegexForName(String),
    /// The text is a placeholder that nothing has filled.
    #[error("`{0}` is a placeholder, and no row fills it: `each` or `cases` gives a case its rows")]
    Placeholder(String),
    /// The text lists several names.
    #[error("`{text}` is several names in one text: write a list, `[{}]`", .names.join(", "))]
    SeveralNames {
        /// The text.
        text: String,
        /// The names.
        names: Vec<String>,
    },
    /// No name of a tool has one of the characters.
    #[error("`{text}` has {character} in it{}: write `{instead}`", .character.describe_rule())]
    OddCharacter {
        /// The text, as it can be shown.
        text: String,
        /// The kind of the character.
        character: OddCharacter,
        /// The text without such characters.
        instead: String,
    },
    /// The glob cannot be compiled.
    #[error("`{text}` is not a pattern: {problem}")]
    Glob {
        /// The glob.
        text: String,
        /// The problem.
        problem: globset::ErrorKind,
    },
    /// The regular expression cannot be compiled.
    #[error("`{text}` is not a pattern: {}", extract_reason(.problem))]
    Regex {
        /// The regular expression.
        text: String,
        /// The problem.
        problem: regex::Error,
    },
    /// A path leads out of the folder that it is relative to.
    #[error("`{0}` leads out of its folder: write a relative path without `..`")]
    LeadsOut(String),
    /// The words of a field are too long for a pattern.
    #[error("this field or an alias of it is too long")]
    FieldTooLong,
    /// A flag is written twice.
    #[error("the flag `{flag}` stands twice in `{flags}`: write it once")]
    FlagTwice {
        /// The flag.
        flag: char,
        /// All flags.
        flags: String,
    },
    /// A flag of JavaScript is not supported.
    #[error("the flag `{0}` is not supported: use `i`, `m` or `s`")]
    UnsupportedFlag(char),
    /// The letter is no flag.
    #[error("`{0}` is no flag of a regular expression: use `i`, `m` or `s`")]
    UnknownFlag(char),
}

/// A character that no name of a tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddCharacter {
    /// White space.
    WhiteSpace,
    /// A character that is not seen.
    Invisible,
}

impl OddCharacter {
    /// Says why white space is odd. An invisible character needs no reason.
    fn describe_rule(self) -> &'static str {
        match self {
            Self::WhiteSpace => ", and no name of a tool has",
            Self::Invisible => "",
        }
    }
}

impl fmt::Display for OddCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteSpace => "white space",
            Self::Invisible => "an invisible character",
        })
    }
}

/// Returns the last line of the message, which holds the reason; the lines above draw the pattern.
fn extract_reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}
