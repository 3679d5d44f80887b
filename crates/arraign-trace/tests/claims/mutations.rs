//! JSON that somebody has damaged, at random and the same for the same seed.

/// What is put in place of something else.
pub(crate) const STRANGERS: &[&str] = &[
    "null",
    "true",
    "-1",
    "0",
    "18446744073709551615",
    "1e308",
    "1.5",
    "\"\"",
    "\"text\"",
    "\"\\ud83d\\ude00\"",
    "\"2026-01-01T00:00:00Z\"",
    "\"{\\\"a\\\":\"",
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "{\"type\":\"text\"}",
];
const BYTES: &[&str] = &["", "{", "}", "[", "]", "\"", ",", ":", "\\", "\n", "0", "-", "\u{0}", "é"];

/// A sample with something changed in it, or mixed with another.
pub(crate) fn mutated(text: String, samples: &[String], random: &mut Random) -> String {
    match random.below(8) {
        0 => cut(text, random),
        1 => twice(text, random),
        2 => with_byte_changed(text, random),
        3 => spliced(&text, &samples[random.below(samples.len())], random),
        4 => with_key_of_another(text, samples, random),
        _ => with_value_changed(text, random),
    }
}

/// Without a piece.
fn cut(mut text: String, random: &mut Random) -> String {
    let (from, to) = piece(&text, random);
    text.replace_range(from..to, "");
    text
}

/// With a piece repeated.
fn twice(mut text: String, random: &mut Random) -> String {
    let (from, to) = piece(&text, random);
    let piece = text[from..to].to_owned();
    text.insert_str(to, &piece);
    text
}

fn with_byte_changed(mut text: String, random: &mut Random) -> String {
    let at = floor(&text, random.below(text.len() + 1));
    let end = floor(&text, at + 4).max(at);
    text.replace_range(at..end, random.one_of(BYTES));
    text
}

/// The beginning of one and the end of another, cut between two lines or values.
fn spliced(text: &str, other: &str, random: &mut Random) -> String {
    let at = |text: &str, random: &mut Random| {
        let from = floor(text, random.below(text.len() + 1));
        text[from..].find(['\n', ',']).map_or(from, |step| from + step)
    };
    let end = at(text, random);
    let start = at(other, random);
    format!("{}{}", &text[..end], &other[start..])
}

/// With a key that some other sample has: what two formats share is where they are confused.
fn with_key_of_another(mut text: String, samples: &[String], random: &mut Random) -> String {
    let other = &samples[random.below(samples.len())];
    let (Some((from, to)), Some((start, end))) = (a_key(&text, random), a_key(other, random)) else {
        return text;
    };
    text.replace_range(from..to, &other[start..end]);
    text
}

/// With what stands behind some key exchanged for something strange.
fn with_value_changed(mut text: String, random: &mut Random) -> String {
    let Some((_, key_end)) = a_key(&text, random) else { return text };
    let from = key_end + usize::from(text[key_end..].starts_with(':'));
    let mut values = serde_json::Deserializer::from_str(&text[from..]).into_iter::<serde::de::IgnoredAny>();
    let length = if matches!(values.next(), Some(Ok(_))) { values.byte_offset() } else { 0 };
    text.replace_range(from..from + length, random.one_of(STRANGERS));
    text
}

/// The key after a random place, with its quotes.
fn a_key(text: &str, random: &mut Random) -> Option<(usize, usize)> {
    let from = floor(text, random.below(text.len() + 1));
    let end = from + text[from..].find("\":")? + 1;
    let start = text[..end - 1].rfind('"')?;
    Some((start, end))
}

/// A piece of up to 200 bytes, or of anything once in a while.
fn piece(text: &str, random: &mut Random) -> (usize, usize) {
    let from = floor(text, random.below(text.len() + 1));
    let most = if random.below(8) == 0 { text.len() } else { 200 };
    let to = floor(text, from + random.below(most + 1)).max(from);
    (from, to)
}

/// The last character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// A xorshift generator: the same seed gives the same texts.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % limit.max(1)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
