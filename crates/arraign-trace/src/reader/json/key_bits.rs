//! A set of keys in a few bits. It may take a key for another one, and never misses one that it has.
//!
//! Two bits of one word stand for a key, as in a blocked Bloom filter.

/// A set of keys in so many words of 64 bits, which are a power of two below 256.
#[derive(Debug, Clone)]
pub(crate) struct KeyBits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for KeyBits<WORDS> {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> KeyBits<WORDS> {
    /// Adds a key, and returns whether one of its bits is new: then the key is.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        let (word, bits) = Self::choose_bits(key);
        let is_new = self.0[word] & bits != bits;
        self.0[word] |= bits;
        is_new
    }

    /// Whether the key may be in the set. If not, it is certain.
    pub(crate) fn may_have(&self, key: &str) -> bool {
        let (word, bits) = Self::choose_bits(key);
        self.0[word] & bits == bits
    }

    fn choose_bits(key: &str) -> (usize, u64) {
        // The upper bytes of a product depend on all bits of its factors.
        let [upper, one, other, ..] = hash_key(key.as_bytes()).to_be_bytes();
        (usize::from(upper) & (WORDS - 1), 1 << (one & 63) | 1 << (other & 63))
    }
}

/// Hashes a key by its length, its ends and its middle, in which nearly all keys of an object differ.
pub(crate) fn hash_key(key: &[u8]) -> u64 {
    let middle = key.get(key.len() / 2).copied().unwrap_or_default();
    let ends = match (key.first_chunk::<4>(), key.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => key.iter().fold(1, |ends, byte| ends << 8 | u64::from(*byte)),
    };
    // The multiplier is the golden ratio, as in Fibonacci hashing.
    (ends ^ u64::from(middle) << 24 ^ (key.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_was_added_is_there_and_most_others_are_not() {
        let mut bits = KeyBits::<64>::default();
        let keys: Vec<String> = (0..100).map(|number| format!("key_{number}_of_100")).collect();
        assert!(!bits.may_have("type") && bits.insert("type") && !bits.insert("type"));
        assert!(["", "t"].iter().all(|key| bits.insert(key) && bits.may_have(key)));
        for key in &keys {
            bits.insert(key);
        }
        assert!(keys.iter().all(|key| bits.may_have(key)));
        let taken = (0..100).filter(|number| bits.may_have(&format!("other_{number}"))).count();
        assert!(taken < 10, "{taken}");
    }
}
