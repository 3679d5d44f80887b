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
    /// Adds a key by its hash, and returns whether one of its bits is new: then the key is.
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        let (word, bits) = Self::choose_bits(hash);
        let is_new = self.0[word] & bits != bits;
        self.0[word] |= bits;
        is_new
    }

    /// Whether the key with this hash may be in the set. If not, it is certain.
    pub(crate) fn may_have(&self, hash: u64) -> bool {
        let (word, bits) = Self::choose_bits(hash);
        self.0[word] & bits == bits
    }

    fn choose_bits(hash: u64) -> (usize, u64) {
        // The upper bytes of a product depend on all bits of its factors.
        let [upper, one, other, ..] = hash.to_be_bytes();
        (usize::from(upper) & (WORDS - 1), 1 << (one & 63) | 1 << (other & 63))
    }
}

/// Hashes a key by its length, its ends and its middle, in which nearly all keys of an object differ.
pub(crate) fn hash_key(key: &str) -> u64 {
    let key = key.as_bytes();
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
        let hash = hash_key("type");
        assert!(!bits.may_have(hash) && bits.insert(hash) && !bits.insert(hash));
        assert!(["", "t"].map(hash_key).iter().all(|hash| bits.insert(*hash) && bits.may_have(*hash)));
        for key in &keys {
            bits.insert(hash_key(key));
        }
        assert!(keys.iter().all(|key| bits.may_have(hash_key(key))));
        let taken = (0..100).filter(|number| bits.may_have(hash_key(&format!("other_{number}")))).count();
        assert!(taken < 10, "{taken}");
    }
}
