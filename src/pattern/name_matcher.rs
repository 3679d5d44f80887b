//! One name, or a glob over names, in one of three spellings. A comparison allocates nothing.

use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use smol_str::SmolStr;

use arraign_trace::compiled::Compiled;

use super::error::PatternError;
use super::normal_name::{fold_name, has_spelling, strip_separators};

/// The longest glob that is compiled; longer ones are no names of tools.
const MAX_GLOB_BYTES: usize = 256;

/// The most memory that a byte of a glob takes when it is compiled.
const BYTES_A_CHARACTER: usize = 256;

static GLOBS: Compiled<GlobSet> = Compiled::empty();

/// How names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Character by character.
    Exact,
    /// Case does not count.
    AnyCase,
    /// Case and separators do not count.
    Normal,
}

/// Whether `text` holds a glob character: any of `* ? [ ] { }`.
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}'])
}

/// One name, or all names that a glob describes.
#[derive(Debug, Clone)]
pub(super) enum NameMatcher {
    /// This name.
    Exact(SmolStr),
    /// This name, which is in lower case, in any case.
    AnyCase(SmolStr),
    /// This name, which is folded, in any spelling.
    Normal(SmolStr),
    Glob(Arc<GlobSet>),
    /// A glob over names as they are, and one over folded names where it has a letter left to go by.
    NormalGlob {
        written: Arc<GlobSet>,
        folded: Option<Arc<GlobSet>>,
    },
}

impl NameMatcher {
    /// A name or a glob.
    pub(super) fn new(text: &str, spelling: Spelling) -> Result<Self, PatternError> {
        Ok(match (is_glob(text), spelling) {
            (false, Spelling::Exact) => Self::Exact(SmolStr::new(text)),
            (false, Spelling::AnyCase) => Self::AnyCase(text.to_lowercase().into()),
            (false, Spelling::Normal) => Self::Normal(fold_name(text)),
            (true, Spelling::Exact) => Self::Glob(compile_glob(text, true)?),
            (true, Spelling::AnyCase) => Self::Glob(compile_glob(text, false)?),
            (true, Spelling::Normal) => {
                let folded = strip_separators(text).map(|glob| compile_glob(&glob, false)).transpose()?;
                Self::NormalGlob { written: compile_glob(text, false)?, folded }
            }
        })
    }

    /// Whether `name` is meant.
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(own) => own == name,
            Self::AnyCase(own) => own.chars().eq(name.chars().flat_map(char::to_lowercase)),
            Self::Normal(own) => has_spelling(name, own),
            Self::Glob(glob) => glob.is_match(name),
            Self::NormalGlob { written, folded } => {
                written.is_match(name)
                    // The glob as it is written comes first: folding loses the case and the separators.
                    || folded.as_ref().is_some_and(|glob| glob.is_match(fold_name(name).as_str()))
            }
        }
    }

    /// The name, if this is one name.
    pub(super) fn exact_name(&self) -> Option<&str> {
        match self {
            Self::Exact(own) | Self::AnyCase(own) | Self::Normal(own) => Some(own),
            Self::Glob(_) | Self::NormalGlob { .. } => None,
        }
    }

    /// Whether this is a glob.
    pub(super) fn is_glob(&self) -> bool {
        matches!(self, Self::Glob(_) | Self::NormalGlob { .. })
    }
}

fn compile_glob(text: &str, case_sensitive: bool) -> Result<Arc<GlobSet>, PatternError> {
    if text.len() > MAX_GLOB_BYTES {
        return Err(PatternError::TooLong(MAX_GLOB_BYTES));
    }
    // One compiled glob serves all spellings of a case file, so the key says how letters are compared.
    let key = format!("{}{text}", if case_sensitive { 's' } else { 'i' });
    let refuse =
        |error: globset::Error| PatternError::Glob { text: text.to_owned(), problem: error.kind().clone() };
    GLOBS.get(&key, || {
        let glob = GlobBuilder::new(text)
            .literal_separator(false)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(!case_sensitive)
            .build()
            .map_err(refuse)?;
        let set = GlobSetBuilder::new().add(glob).build();
        let set = set.map_err(refuse)?;
        Ok((set, BYTES_A_CHARACTER * text.len()))
    })
}
