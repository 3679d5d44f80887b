//! The secrets of a run by their values. A password has no shape: it is recognized by the name in front of it. Once it is
//! known, it is masked wherever an output quotes it, also without the name.

use std::collections::{BTreeSet, HashSet};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::json::Json;
use crate::pattern::{find_secrets, mask_json_secrets, mask_secrets, visit_secret_values};
use crate::trace::{Arguments, Call, Trace};

/// The size of the pieces that are recognized. An output may show four characters of a secret.
const PIECE: usize = 5;
/// The size from which a piece is recognized inside of a text. A shorter piece is recognized only where the text was cut.
const MIN_INNER_PIECE: usize = 8;
/// The largest number of values that are kept of a trial.
const MAX_VALUES: usize = 1000;

/// The values of secrets in the runs of a trial.
#[derive(Debug, Default)]
pub struct KnownSecrets(BTreeSet<String>);

impl KnownSecrets {
    /// Adds the secrets in `text`.
    pub(crate) fn add_text(&mut self, text: &str) {
        for one in find_secrets(text) {
            self.add_secret(&text[one.range]);
        }
    }

    /// Adds the secrets in a JSON value, also those that only the names of its entries reveal.
    pub(crate) fn add_json(&mut self, value: &Json) {
        visit_secret_values(value, &mut |secret| self.add_secret(secret));
    }

    /// Adds the secrets in all texts of a run.
    pub fn add_run(&mut self, run: &Trace) {
        let texts = [
            &run.answer,
            &run.answer_reasoning,
            &run.input,
            &run.stop_reason,
            &run.agent,
            &run.model,
            &run.id,
        ];
        texts.into_iter().flatten().for_each(|text| self.add_text(text));
        for message in &run.messages {
            self.add_text(&message.text);
            message.reasoning.iter().for_each(|text| self.add_text(text));
        }
        run.calls.iter().for_each(|call| self.add_call(call));
    }

    fn add_call(&mut self, call: &Call) {
        match &call.arguments {
            Arguments::Json(value) => self.add_json(value),
            Arguments::Broken { raw, .. } => self.add_text(raw),
            Arguments::Unrecorded => {}
        }
        call.result.iter().for_each(|result| self.add_json(result));
        let texts = [Some(&call.name), call.id.as_ref(), call.error.as_ref()];
        texts.into_iter().flatten().for_each(|text| self.add_text(text));
    }

    fn add_secret(&mut self, secret: &str) {
        // A value that contains a mask is not the secret itself, and a shorter one would mask usual words.
        if secret.len() >= PIECE && self.0.len() < MAX_VALUES && !secret.contains("***") {
            self.0.insert(secret.to_owned());
        }
    }

    /// Builds the masker of these secrets.
    pub fn build_masker(&self) -> SecretMasker {
        if self.0.is_empty() {
            return SecretMasker::default();
        }
        // Two indices over all spellings: an automaton that finds whole secrets, and the set of all their pieces of `PIECE`
        // bytes, which finds the rest of a secret that a cut has shortened.
        let spellings: BTreeSet<String> = self.0.iter().flat_map(|secret| list_spellings(secret)).collect();
        let whole = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings);
        let pieces = spellings.iter().flat_map(|spelling| spelling.as_bytes().windows(PIECE));
        SecretMasker { whole: whole.ok(), pieces: pieces.filter_map(|piece| piece.try_into().ok()).collect() }
    }
}

/// Lists how texts write a secret: as it is, in JSON, and as Rust quotes it.
fn list_spellings(secret: &str) -> [String; 3] {
    let [json, rust] = [Json::from(secret).to_string(), format!("{secret:?}")]
        .map(|quoted| quoted[1..quoted.len() - 1].to_owned());
    [secret.to_owned(), json, rust]
}

/// Masks secrets by their shapes, and the known ones by their values, also where an earlier cut left only a piece.
#[derive(Debug, Default)]
pub struct SecretMasker {
    whole: Option<AhoCorasick>,
    pieces: HashSet<[u8; PIECE]>,
}

impl SecretMasker {
    /// Masks the secrets in `text`.
    pub fn mask_text(&self, text: String) -> String {
        let text = mask_secrets(text);
        let Some(whole) = &self.whole else { return text };
        // Whole secrets first: what remains of them cannot be taken for a piece.
        let text = if whole.is_match(&text) { replace_known(whole, &text) } else { text };
        self.mask_pieces(text)
    }

    /// Masks the secrets in the texts of `value` and under names of secrets.
    pub fn mask_json(&self, value: Json) -> Json {
        let value = mask_json_secrets(value);
        if self.whole.is_some() { self.mask_texts(value) } else { value }
    }

    fn mask_texts(&self, value: Json) -> Json {
        match value {
            Json::String(text) => Json::String(self.mask_text(text.into_string()).into()),
            Json::Number(number) => match self.mask_text(number.to_string()) {
                // A masked number is a text: no number could stand for it.
                text if text.contains("***") => Json::String(text.into()),
                _ => Json::Number(number),
            },
            Json::Array(items) => items.into_iter().map(|item| self.mask_texts(item)).collect(),
            Json::Object(entries) => {
                let masked = entries
                    .into_iter()
                    .map(|(name, value)| (self.mask_text(name.into_string()), self.mask_texts(value)));
                Json::Object(masked.collect())
            }
            Json::Null | Json::Bool(_) => value,
        }
    }

    /// Masks the pieces of known secrets.
    ///
    /// Each five bytes that are part of a secret are marked, and neighbours make one piece. A long piece is masked unless it is
    /// lower-case letters alone, which may be words; a short one only next to a cut.
    fn mask_pieces(&self, text: String) -> String {
        let bytes = text.as_bytes();
        let mut masked = String::new();
        let mut shown = 0;
        let mut at = 0;
        // `shown` is the end of the text that was copied or masked so far; a piece that is not masked is copied later.
        while at + PIECE <= bytes.len() {
            let end = self.find_piece_end(bytes, at);
            if end == at {
                at += 1;
                continue;
            }
            // A piece is found by bytes. One that begins or ends within a character is no part of a text that a
            // secret was copied from.
            if is_leak(&text, at, end) && text.is_char_boundary(at) && text.is_char_boundary(end) {
                masked.push_str(&text[shown..at]);
                masked.push_str("***");
                shown = end;
            }
            at = end;
        }
        if shown == 0 { text } else { masked + &text[shown..] }
    }

    /// Returns the end of the piece that begins at `at`, or `at` if none does.
    fn find_piece_end(&self, bytes: &[u8], at: usize) -> usize {
        // Overlapping windows: n neighbouring windows of a secret cover n + PIECE - 1 bytes of it.
        let count = bytes[at..].windows(PIECE).take_while(|window| self.pieces.contains(*window)).count();
        if count == 0 { at } else { at + count + PIECE - 1 }
    }
}

fn replace_known(known: &AhoCorasick, text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    known.replace_all_with(text, &mut masked, |_, _, out| {
        out.push_str("***");
        true
    });
    masked
}

/// Whether the piece `start..end` of `text` is the rest of a secret that a cut has left.
fn is_leak(text: &str, start: usize, end: usize) -> bool {
    const DOTS: [&str; 2] = ["...", "…"];
    const QUOTES: [char; 4] = ['"', '\'', '`', '\\'];
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else { return false };
    let after = after.trim_start_matches(QUOTES);
    let before = before.trim_end_matches(QUOTES);
    let is_cut = after.is_empty()
        || DOTS.iter().any(|dots| after.starts_with(dots) || before.ends_with(dots))
        || after.starts_with("***");
    // A piece of lower-case letters may be an ordinary word, which a secret happens to contain.
    let is_word = text.as_bytes()[start..end].iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
    is_cut || (end - start >= MIN_INNER_PIECE && !is_word)
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn build_masker(value: &Json) -> SecretMasker {
        let mut known = KnownSecrets::default();
        known.add_json(value);
        known.build_masker()
    }

    #[test]
    fn a_known_value_is_masked_wherever_it_is_quoted() {
        let masker =
            build_masker(&json!({"password": "correct \"horse\"", "client_secret": "q8Zk2mVx9Tn4Lp7R"}));
        for (text, masked) in [
            ("it is correct \"horse\"", "it is ***"),
            (r#"{"x":"correct \"horse\""}"#, r#"{"x":"***"}"#),
            ("\"q8Zk2mVx\"...", "\"***\"..."),
            ("...\"Tn4Lp7R, then\"", "...\"***, then\""),
            ("a correct answer", "a correct answer"),
            ("it ends with q8Zk2", "it ends with ***"),
        ] {
            assert_eq!(masker.mask_text(text.to_owned()), masked);
        }
        assert_eq!(masker.mask_json(json!({"a": ["q8Zk2mVx9Tn4Lp7R", 1]})), json!({"a": ["***", 1]}));
    }

    #[test]
    fn every_piece_at_a_cut_is_masked() {
        let secret = "Tr0ub4dor&3-and-more-of-it";
        let masker = build_masker(&json!({ "password": secret }));
        for end in PIECE..=secret.len() {
            let shown = masker.mask_text(format!("\"{}\"...", &secret[..end]));
            assert_eq!(shown, "\"***\"...");
            let shown = masker.mask_text(format!("...\"{}\"", &secret[secret.len() - end..]));
            assert_eq!(shown, "...\"***\"");
        }
    }

    #[test]
    fn without_secrets_nothing_changes() {
        let masker = build_masker(&json!({"a": "text"}));
        assert_eq!(masker.mask_text("a text".to_owned()), "a text");
    }
}
