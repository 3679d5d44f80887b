//! The words that the rules of the text profile look for, found in one pass over the text.

use std::sync::LazyLock;

/// What a word stands for. Some stand for several things, and then they are found several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    /// `edit`, `write`.
    Edit,
    /// `read`.
    Read,
    /// `deploy`, `start`, `launch`.
    Deploy,
    /// The beginning of a health check.
    HealthHead,
    /// Its end.
    HealthTail,
    /// A verification keyword, by its number.
    Keyword(u8),
    /// `line`.
    Line,
    /// `output:`, `result:`, `response:`.
    Output,
    /// `probably`: a claim by itself.
    Hedge,
    /// `work`, after `should`.
    Work,
    /// `believe`, after `I`.
    Believe,
    /// `correct`, after `should be`.
    Correct,
    /// A word that stands for a change of code, besides `edit` and `write`.
    Change,
    /// A test command.
    TestCommand,
    /// `passed`, after a number.
    Count,
    /// `all tests pass`.
    AllPass,
    /// A type checker.
    Type,
    /// A linter.
    Lint,
    /// Coverage.
    Coverage,
}

/// The words, lowered. No word boundary is asked for here.
const WORDS: &[(&str, Spot)] = &[
    ("edit", Spot::Edit),
    ("write", Spot::Edit),
    ("read", Spot::Read),
    ("deploy", Spot::Deploy),
    ("start", Spot::Deploy),
    ("launch", Spot::Deploy),
    // Before the heads: a word that ends one check does not begin the next.
    ("check", Spot::HealthTail),
    ("endpoint", Spot::HealthTail),
    ("healthy", Spot::HealthTail),
    ("running", Spot::HealthTail),
    ("health", Spot::HealthHead),
    ("status", Spot::HealthHead),
    ("verify", Spot::HealthHead),
    ("check", Spot::HealthHead),
    ("verified", Spot::Keyword(0)),
    ("confirmed", Spot::Keyword(1)),
    ("validated", Spot::Keyword(2)),
    ("checked", Spot::Keyword(3)),
    ("testing showed", Spot::Keyword(4)),
    ("output shows", Spot::Keyword(5)),
    ("confirmed by", Spot::Keyword(6)),
    ("line", Spot::Line),
    ("output:", Spot::Output),
    ("result:", Spot::Output),
    ("response:", Spot::Output),
    ("probably", Spot::Hedge),
    ("likely", Spot::Hedge),
    ("seems to", Spot::Hedge),
    ("work", Spot::Work),
    ("believe", Spot::Believe),
    ("think", Spot::Believe),
    ("assume", Spot::Believe),
    ("correct", Spot::Correct),
    ("working", Spot::Correct),
    ("fine", Spot::Correct),
    ("implement", Spot::Change),
    ("fix", Spot::Change),
    ("refactor", Spot::Change),
    ("pytest", Spot::TestCommand),
    ("npm test", Spot::TestCommand),
    // `cargo test` ends with it.
    ("go test", Spot::TestCommand),
    ("mvn test", Spot::TestCommand),
    ("passed", Spot::Count),
    ("failed", Spot::Count),
    ("all tests pass", Spot::AllPass),
    ("mypy", Spot::Type),
    ("pyright", Spot::Type),
    ("tsc", Spot::Type),
    ("flow", Spot::Type),
    ("ruff", Spot::Lint),
    ("eslint", Spot::Lint),
    ("pylint", Spot::Lint),
    ("flake8", Spot::Lint),
    ("coverage", Spot::Coverage),
    ("--cov", Spot::Coverage),
];

/// How many keywords there are.
pub(super) const KEYWORDS: usize = 7;

/// The keywords, by their numbers.
pub(super) fn keywords() -> impl Iterator<Item = (usize, &'static str)> {
    WORDS.iter().filter_map(|(word, spot)| match spot {
        Spot::Keyword(number) => Some((usize::from(*number), *word)),
        _ => None,
    })
}

/// The words that begin with a byte.
#[derive(Default)]
struct Entries {
    /// Bits for the second bytes of these words, by their lowest five bits: most places fail on them.
    seconds: u32,
    words: Vec<(&'static [u8], Spot)>,
}

static BY_FIRST: LazyLock<Vec<Entries>> = LazyLock::new(|| {
    let mut table: Vec<Entries> = (0..=u8::MAX).map(|_| Entries::default()).collect();
    for (word, spot) in WORDS {
        let word = word.as_bytes();
        let entries = &mut table[usize::from(word[0])];
        entries.seconds |= bit(word[1]);
        entries.words.push((word, *spot));
    }
    table
});

fn bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

/// Calls `found` with the place, the end and the meaning of each word in `bytes`, in order.
pub(super) fn spots(bytes: &[u8], mut found: impl FnMut(usize, usize, Spot)) {
    let table = BY_FIRST.as_slice();
    // A copy of the bits alone stays in the cache.
    let seconds: [u32; 256] = std::array::from_fn(|byte| table[byte].seconds);
    for (at, pair) in bytes.windows(2).enumerate() {
        if seconds[usize::from(pair[0])] & bit(pair[1]) == 0 {
            continue;
        }
        for (word, spot) in &table[usize::from(pair[0])].words {
            if word[1] == pair[1] && bytes[at..].starts_with(word) {
                found(at, at + word.len(), *spot);
            }
        }
    }
}
