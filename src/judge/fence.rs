//! The fence around the evidence of a request: two lines with a nonce.
//!
//! The nonce is a hash of the text that it encloses. The author of a part of that text cannot know the hash of the
//! whole, and so cannot write the line that would end the evidence early. The same request always has the same nonce,
//! so that its recorded answer is found again.

/// The number of hexadecimal digits of a code.
const CODE_DIGITS: usize = 16;

/// The nonce and the canary of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EvidenceFence {
    /// The code in the fence lines, which a reply must repeat.
    pub(super) nonce: String,
    /// A code that the evidence does not contain: a judge who reports it there has not read the evidence.
    pub(super) canary: String,
    /// A number that the author of the evidence cannot predict; it selects the positions of control questions.
    pub(super) shuffle: usize,
}

impl EvidenceFence {
    /// Derives the codes from `text`, which contains neither of them.
    pub(super) fn for_text(text: &str) -> Self {
        let fences = (0..u32::MAX).map(|round| Self::from_hash(&hash_parts(&[&round.to_string(), text])));
        // A text that contains its own hash is as unlikely as a guessed key, but looking for another one costs nothing.
        let mut unused = fences.filter(|fence| !text.contains(&fence.nonce) && !text.contains(&fence.canary));
        unused.next().unwrap_or_else(|| Self::from_hash(&hash_parts(&[text])))
    }

    fn from_hash(hash: &str) -> Self {
        let (nonce, rest) = hash.split_at(CODE_DIGITS);
        let (canary, rest) = rest.split_at(CODE_DIGITS);
        let shuffle = usize::from_str_radix(&rest[..4], 16).unwrap_or_default();
        Self { nonce: nonce.to_owned(), canary: canary.to_owned(), shuffle }
    }
}

/// Returns the SHA-256 of `parts` in hexadecimal. Each part is preceded by its length, so that moving a boundary
/// changes the hash.
pub(super) fn hash_parts(parts: &[&str]) -> String {
    let mut hasher = hmac_sha256::Hash::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hex_digit).collect()
}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0')
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
        let fence = EvidenceFence::for_text(&text);
        assert!(!text.contains(&fence.nonce) && !text.contains(&fence.canary));
    }
}
