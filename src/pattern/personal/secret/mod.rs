//! Secrets in a text: keys and tokens of known shapes, blocks of private keys, and values that the text names as secrets.
//!
//! One automaton finds all words that a secret begins with or follows, in one pass. Only at these words a closer look is taken,
//! so that a text without them costs a nanosecond a byte.

mod assigned;
mod blocks;
mod encoded;
mod issued;
mod key_name;
mod layout;
mod runs;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use self::assigned::{
    NAME_WORDS, SCHEMES, USER_FLAGS, measure_assigned, measure_credentials, measure_user_flag,
    measure_user_info,
};
use self::blocks::{measure_block, measure_block_rest, measure_lines};
use self::encoded::{ESCAPES, find_base64, find_escaped};
use self::issued::{
    ISSUED, IssuedShape, measure_azure_secret, measure_bot_token, measure_discord_token, measure_web_token,
};
use self::key_name::{KeyStrength, MIN_VALUE, classify_key, is_cookie, is_plausible, looks_random};
use self::runs::SecretScan;
use super::{Personal, PersonalKind};
use crate::pattern::steps::count_steps;

/// How the secret at a word is found.
#[derive(Clone, Copy)]
enum Detector {
    /// A shape with a prefix.
    Issued(&'static IssuedShape),
    WebToken,
    BotToken,
    DiscordToken,
    AzureSecret,
    /// A block of lines between `BEGIN` and `END`.
    Block,
    /// The lines before an `END` without a `BEGIN`.
    BlockRest,
    /// The lines of a key of `PuTTY`.
    Lines,
    /// The value of a name.
    Assigned,
    /// What follows the scheme of a header.
    Credentials,
    /// The password in a URL.
    UserInfo,
    /// The password after a flag for a user.
    UserFlag,
    /// A token with an escape or an invisible character in it.
    Escaped,
}

impl Detector {
    /// Returns the name and the bytes of the secret at the word `at`.
    fn find_secret(
        self,
        scan: &mut SecretScan<'_>,
        at: Range<usize>,
    ) -> Option<(&'static str, Range<usize>)> {
        let (name, range) = match self {
            Self::Issued(shape) => (shape.name, shape.measure(scan, at)),
            Self::WebToken => ("a JSON web token", measure_web_token(scan, at.start)),
            Self::BotToken => ("a Telegram bot's token", measure_bot_token(scan, at)),
            Self::DiscordToken => ("a Discord bot's token", measure_discord_token(scan, at.start)),
            Self::AzureSecret => ("an Azure client secret", measure_azure_secret(scan, at)),
            Self::Block => ("a private key", measure_block(scan, at)),
            Self::BlockRest => ("a private key", measure_block_rest(scan, &at)),
            Self::Lines => ("a private key", measure_lines(scan, at)),
            Self::Assigned => ("a password or key", measure_assigned(scan, at)),
            Self::Credentials => ("credentials of a header", measure_credentials(scan, at)),
            Self::UserInfo => ("a password in a URL", measure_user_info(scan, &at)),
            Self::Escaped => return find_escaped(scan, at.start),
            Self::UserFlag => ("a password of a command", measure_user_flag(scan, &at)),
        };
        range.map(|range| (name, range))
    }

    /// Whether the secret has a shape of its own, and needs no name or text around it.
    fn knows_shape(self) -> bool {
        matches!(
            self,
            Self::Issued(_) | Self::WebToken | Self::BotToken | Self::DiscordToken | Self::AzureSecret
        )
    }
}

/// Lists all words, each with its detector.
fn list_words() -> Vec<(&'static str, Detector)> {
    let single = [
        ("eyJ", Detector::WebToken),
        (":AA", Detector::BotToken),
        (".", Detector::DiscordToken),
        ("Q~", Detector::AzureSecret),
        ("-----BEGIN ", Detector::Block),
        ("---- BEGIN ", Detector::Block),
        ("-----END ", Detector::BlockRest),
        ("---- END ", Detector::BlockRest),
        ("Private-Lines:", Detector::Lines),
        ("://", Detector::UserInfo),
    ];
    let issued = ISSUED.iter().map(|shape| (shape.prefix, Detector::Issued(shape)));
    let names = NAME_WORDS.iter().map(|word| (*word, Detector::Assigned));
    let schemes = SCHEMES.iter().map(|word| (*word, Detector::Credentials));
    let flags = USER_FLAGS.iter().map(|flag| (*flag, Detector::UserFlag));
    let escapes = ESCAPES.iter().map(|escape| (*escape, Detector::Escaped));
    issued.chain(single).chain(names).chain(schemes).chain(flags).chain(escapes).collect()
}

/// The words, and the automaton that finds them.
struct SecretWords {
    detectors: Vec<Detector>,
    automaton: Option<AhoCorasick>,
}

static WORDS: LazyLock<SecretWords> = LazyLock::new(|| {
    // One automaton searches all prefixes and names at once. The number of a pattern is the index of its detector.
    let words = list_words();
    // Names are found in any case. The detectors of shapes compare their prefixes exactly.
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        // A process that runs one trial builds it as well. These two only make the building longer: the search for
        // overlapping words uses no prefilter, and is no faster with more dense states.
        .prefilter(false)
        .dense_depth(1)
        .build(words.iter().map(|(word, _)| word));
    SecretWords {
        detectors: words.into_iter().map(|(_, detector)| detector).collect(),
        automaton: automaton.ok(),
    }
});

/// The length of the shortest secret that an issuer gave a shape, with its prefix.
const SHORTEST_ISSUED: usize = 15;

/// Whether a text is too short for the shape of any secret, and has nothing that separates a name from its value. Most names
/// and ids in a run are such texts.
fn is_harmless(text: &str) -> bool {
    let separates = |byte: u8| matches!(byte, b':' | b'=' | b' ' | b'|') || !byte.is_ascii();
    text.len() < SHORTEST_ISSUED && !text.bytes().any(separates)
}

/// Returns the secrets in `text`, from left to right; no two of them overlap.
pub(super) fn find_secrets(text: &str) -> Vec<Personal> {
    if is_harmless(text) {
        return Vec::new();
    }
    let mut found = search_words(text, |_| true);
    found.extend(find_base64(text));
    merge_overlaps(found)
}

/// Returns the secrets at the words in `text` with a detector that `is_wanted`. Some may overlap.
fn search_words(text: &str, is_wanted: fn(Detector) -> bool) -> Vec<Personal> {
    let Some(automaton) = &WORDS.automaton else { return Vec::new() };
    let mut scan = SecretScan::new(text);
    let mut found: Vec<Personal> = Vec::new();
    for word in automaton.find_overlapping_iter(text) {
        count_steps(1);
        // A word within a secret is a part of it.
        if found.last().is_some_and(|last| last.range.contains(&word.start()) && last.range.end >= word.end())
        {
            continue;
        }
        let detector = WORDS.detectors[word.pattern().as_usize()];
        if !is_wanted(detector) {
            continue;
        }
        if let Some((name, range)) = detector.find_secret(&mut scan, word.start()..word.end()) {
            found.push(Personal { kind: PersonalKind::Secret, range, name });
        }
    }
    found
}

/// Joins secrets that overlap: what two shapes share is a part of both, and nothing of either is shown.
fn merge_overlaps(mut found: Vec<Personal>) -> Vec<Personal> {
    found.sort_by_key(|one| one.range.start);
    found.dedup_by(|next, last| {
        let overlaps = next.range.start < last.range.end;
        if overlaps {
            // The longer of the two ends counts: the second may lie within the first.
            last.range.end = last.range.end.max(next.range.end);
        }
        overlaps
    });
    found
}

/// Whether the value `text` under the name `key` is a secret, as a whole.
pub(super) fn is_secret_value(key: &str, text: &str) -> bool {
    if text.len() < MIN_VALUE {
        return false;
    }
    match classify_key(key) {
        Some(KeyStrength::Strong) => is_plausible(text),
        Some(KeyStrength::Weak) => looks_random(text),
        Some(KeyStrength::Cookie) => is_cookie(text),
        None => false,
    }
}

/// Whether `key` names secrets, whatever their values.
pub(super) fn names_secrets(key: &str) -> bool {
    classify_key(key) == Some(KeyStrength::Strong)
}

#[cfg(test)]
mod tests;
