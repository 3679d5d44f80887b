//! The code of one request: two lines with it enclose the evidence.
//!
//! It is a hash of all that it encloses. Whoever wrote a part of that cannot know the hash of the whole, and so cannot
//! write the line that would end the evidence early. The same request has the same code every time, so that its
//! recorded answer is found again.

use sha2::{Digest as _, Sha256};

/// How many hexadecimal digits the code has.
const CODE_DIGITS: usize = 16;

/// The codes of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EvidenceFence {
    /// What encloses the evidence, and what an answer must repeat.
    pub(super) nonce: String,
    /// What stands nowhere in the evidence: a judge who finds it there has not looked.
    pub(super) canary: String,
    /// A number that nobody can foresee who wrote the evidence.
    pub(super) shuffle: usize,
}

impl EvidenceFence {
    /// That of `text`, in which neither of its codes stands.
    pub(super) fn for_text(text: &str) -> Self {
        let seal = |round: u32| Self::from_hash(&hash_parts(&[&round.to_string(), text]));
        // A code that stands in its own text is as likely as a guessed key.
        let clear = |seal: &Self| !text.contains(&seal.nonce) && !text.contains(&seal.canary);
        (0..u32::MAX).map(seal).find(clear).unwrap_or_else(|| Self::from_hash(&hash_parts(&[text])))
    }

    fn from_hash(hash: &str) -> Self {
        let (code, rest) = hash.split_at(CODE_DIGITS);
        let (nowhere, rest) = rest.split_at(CODE_DIGITS);
        let number = usize::from_str_radix(&rest[..4], 16).unwrap_or_default();
        Self { nonce: code.to_owned(), canary: nowhere.to_owned(), shuffle: number }
    }
}

/// The SHA-256 of `parts`, in hexadecimal. Where one part ends and the next begins counts.
pub(super) fn hash_parts(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    hasher.finalize().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_seal_and_another_text_another() {
        assert_eq!(EvidenceFence::for_text("a"), EvidenceFence::for_text("a"));
        assert_ne!(EvidenceFence::for_text("a").nonce, EvidenceFence::for_text("b").nonce);
        assert_ne!(hash_parts(&["ab", "c"]), hash_parts(&["a", "bc"]));
        assert_eq!(hash_parts(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn a_text_that_holds_the_code_of_another_gets_its_own() {
        let other = EvidenceFence::for_text("an answer");
        let text = format!("an answer that knows {} and {}", other.nonce, other.canary);
        let seal = EvidenceFence::for_text(&text);
        assert!(!text.contains(&seal.nonce) && !text.contains(&seal.canary));
    }
}
