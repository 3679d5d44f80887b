//! What a format has no place for.

use std::collections::BTreeMap;
use std::fmt;

use crate::json::JsonMap;

/// A run in the format of others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The file: JSON, indented, with a line break at its end.
    pub text: String,
    /// What the format has no place for.
    pub losses: Vec<Loss>,
}

/// A sort of data that a format has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The key of the native form, such as `status`.
    pub key: String,
    /// The numbers of the calls that lose it, from 1. Empty: the run itself loses it.
    pub calls: Vec<usize>,
    /// What the file has in its place, or why it has nothing.
    pub note: String,
}

/// The most numbers of calls that are listed in a line.
const SHOWN: usize = 8;

/// In a line: `` `status` of calls 1, 4: kept in `extra.arraign`, which arraign reads ``.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.key)?;
        let numbers: Vec<String> = self.calls.iter().take(SHOWN).map(usize::to_string).collect();
        match self.calls.len() {
            0 => f.write_str(" of the run")?,
            1 => write!(f, " of call {}", numbers.concat())?,
            count if count <= SHOWN => write!(f, " of calls {}", numbers.join(", "))?,
            count => write!(f, " of {count} calls: {}, ..", numbers.join(", "))?,
        }
        write!(f, ": {}", self.note)
    }
}

/// Why a run cannot be written in a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotWrite {
    /// The format wants at least one step.
    #[error("the run has no text and no call, and {format} wants at least one step")]
    Empty {
        /// The format.
        format: &'static str,
    },
}

/// The losses of a run, by key.
#[derive(Debug, Default)]
pub(super) struct Losses(BTreeMap<String, Vec<usize>>);

impl Losses {
    /// Notes the keys of `lost`, of the call of this number, from 1, or of the run.
    pub(super) fn note<'k>(&mut self, call: Option<usize>, lost: impl IntoIterator<Item = &'k str>) {
        for key in lost {
            self.0.entry(key.to_owned()).or_default().extend(call);
        }
    }

    /// Returns the losses, each with what `explain` says of its key.
    pub(super) fn into_list(self, explain: impl Fn(&str) -> String) -> Vec<Loss> {
        let losses = self.0.into_iter();
        losses.map(|(key, calls)| Loss { note: explain(&key), key, calls }).collect()
    }
}

/// The keys whose values differ between two mappings: those of `wanted`, and those that `got` has alone.
pub(super) fn list_differences<'m>(wanted: &'m JsonMap, got: &'m JsonMap) -> Vec<&'m str> {
    let changed = wanted.iter().filter(|(key, value)| got.get(key) != Some(*value)).map(|(key, _)| key);
    let added = got.keys().filter(|key| !wanted.contains_key(key));
    changed.chain(added).map(AsRef::as_ref).collect()
}
