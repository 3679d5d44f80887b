//! The code of one request: two lines with it enclose the evidence.
//!
//! It is a hash of all that it encloses. Whoever wrote a part of that cannot know the hash of the whole, and so cannot
//! write the line that would end the evidence early. The same request has the same code every time, so that its
//! recorded answer is found again.

/// How many hexadecimal digits the code has.
const CODE: usize = 16;

/// The codes of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seal {
    /// What encloses the evidence, and what an answer must repeat.
    pub(super) code: String,
    /// What stands nowhere in the evidence: a judge who finds it there has not looked.
    pub(super) nowhere: String,
    /// A number that nobody can foresee who wrote the evidence.
    pub(super) number: usize,
}

impl Seal {
    /// That of `text`, in which neither of its codes stands.
    pub(super) fn of(text: &str) -> Self {
        let seal = |round: u32| Self::cut(&hash(&[&round.to_string(), text]));
        // A code that stands in its own text is as likely as a guessed key.
        let clear = |seal: &Self| !text.contains(&seal.code) && !text.contains(&seal.nowhere);
        (0..u32::MAX).map(seal).find(clear).unwrap_or_else(|| Self::cut(&hash(&[text])))
    }

    fn cut(hash: &str) -> Self {
        let (code, rest) = hash.split_at(CODE);
        let (nowhere, rest) = rest.split_at(CODE);
        let number = usize::from_str_radix(&rest[..4], 16).unwrap_or_default();
        Self { code: code.to_owned(), nowhere: nowhere.to_owned(), number }
    }
}

/// The SHA-256 of `parts`, in hexadecimal. Where one part ends and the next begins counts.
pub(super) fn hash(parts: &[&str]) -> String {
    let mut hasher = hmac_sha256::Hash::new();
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
        assert_eq!(Seal::of("a"), Seal::of("a"));
        assert_ne!(Seal::of("a").code, Seal::of("b").code);
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_eq!(hash(&[]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn a_text_that_holds_the_code_of_another_gets_its_own() {
        let other = Seal::of("an answer");
        let text = format!("an answer that knows {} and {}", other.code, other.nowhere);
        let seal = Seal::of(&text);
        assert!(!text.contains(&seal.code) && !text.contains(&seal.nowhere));
    }
}
