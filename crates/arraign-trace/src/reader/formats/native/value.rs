//! The values of a native trace, each of one kind; a null is as good as absent.

use std::num::NonZeroUsize;

use crate::json::{JsonNode, JsonNumber};
use crate::reader::formats::native::mistake::NativeMistake;
use crate::trace::CallStatus;

/// A value that may be absent, or the mistake that it is of another kind.
type Read<T> = Result<Option<T>, NativeMistake>;

/// Reads the value by `take`, which returns `None` for a value of another kind than `wanted`.
fn read_kind<'t, T>(
    value: &JsonNode<'t>,
    wanted: &str,
    take: impl FnOnce(&JsonNode<'t>) -> Option<T>,
) -> Read<T> {
    if value.is_null() {
        return Ok(None);
    }
    take(value).map(Some).ok_or_else(|| NativeMistake::expected(wanted, value))
}

pub(crate) fn read_text(value: JsonNode) -> Read<String> {
    match value {
        JsonNode::String(text) => Ok(Some(text.into_string())),
        other => read_kind(&other, "a text", |_| None),
    }
}

pub(crate) fn read_flag(value: &JsonNode) -> Result<bool, NativeMistake> {
    let flag = read_kind(value, "`true` or `false`", |value| match value {
        JsonNode::Bool(flag) => Some(*flag),
        _ => None,
    });
    Ok(flag?.unwrap_or_default())
}

pub(crate) fn read_count(value: &JsonNode) -> Read<u64> {
    read_kind(value, "a whole number from 0 up", |value| value.as_number()?.as_u64())
}

pub(crate) fn read_turn(value: &JsonNode) -> Read<NonZeroUsize> {
    read_kind(value, "a whole number from 1 up", |value| {
        NonZeroUsize::new(usize::try_from(value.as_number()?.as_u64()?).ok()?)
    })
}

pub(crate) fn read_served(value: &JsonNode) -> Read<u32> {
    read_kind(value, "a whole number from 1 up", |value| {
        u32::try_from(value.as_number()?.as_u64()?).ok().filter(|number| *number > 0)
    })
}

pub(crate) fn read_exit_code(value: &JsonNode) -> Read<i64> {
    read_kind(value, "a whole number", |value| value.as_number()?.as_i64())
}

/// Reads dollars or milliseconds.
pub(crate) fn read_amount(value: &JsonNode) -> Read<f64> {
    let amount = read_kind(value, "a number", |value| value.as_number().and_then(JsonNumber::as_f64))?;
    match amount {
        Some(amount) if amount.is_finite() && amount >= 0.0 => Ok(Some(amount)),
        Some(amount) => {
            Err(NativeMistake::new(format!("invalid amount {amount}: expected a non-negative number")))
        }
        None => Ok(None),
    }
}

pub(crate) fn read_texts(value: JsonNode) -> Read<Vec<String>> {
    let JsonNode::Array(items) = value else { return read_kind(&value, "a list", |_| None) };
    let texts = items.into_iter().enumerate().map(|(index, item)| match item {
        JsonNode::String(text) => Ok(text.into_string()),
        other => Err(NativeMistake::expected("a text", &other).at_key(index)),
    });
    texts.collect::<Result<_, _>>().map(Some)
}

const STATUS_WORDS: [(&str, CallStatus); 4] = [
    ("ok", CallStatus::Ok),
    ("error", CallStatus::Error),
    ("unknown", CallStatus::Unknown),
    ("unanswered", CallStatus::Unanswered),
];

pub(crate) fn read_status(value: &JsonNode) -> Read<CallStatus> {
    read_word(value, &STATUS_WORDS)
}

/// Reads one of the `known` words.
pub(crate) fn read_word<T: Copy>(value: &JsonNode, known: &[(&str, T)]) -> Read<T> {
    let Some(word) = read_kind(value, "a word", |value| value.as_str().map(ToOwned::to_owned))? else {
        return Ok(None);
    };
    let found = known.iter().find(|(known, _)| *known == word);
    found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let help = crate::suggest::did_you_mean(&word, &words);
        NativeMistake { help, ..NativeMistake::new(format!("`{word}` is not one of the known values")) }
    })
}
