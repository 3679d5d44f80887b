//! A set of keys in a few bits. It may take a key for another one, and never misses one that it has.
//!
//! Two bits of one word stand for a key, as in a blocked Bloom filter.

/// A set of keys in so many words of 64 bits, which are a power of two below 256.
#[derive(Debug, Clone)]
pub(crate) struct KeyBits<const WORDS: usize>([u64; WORDS]);

/// The bits of a key in a set of a given size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyPlace {
    word: usize,
    bits: u64,
}

impl<const WORDS: usize> Default for KeyBits<WORDS> {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> KeyBits<WORDS> {
    /// Adds a key by its hash, and returns whether one of its bits is new: then the key is.
    pub(crate) fn insert(&mut self, hash: u64) -> bool {
        let KeyPlace { word, bits } = Self::find_place(hash);
        let is_new = self.0[word] & bits != bits;
        self.0[word] |= bits;
        is_new
    }

    /// Whether the key with this place may be in the set. If not, it is certain.
    pub(crate) fn may_have(&self, KeyPlace { word, bits }: KeyPlace) -> bool {
        self.0[word & (WORDS - 1)] & bits == bits
    }

    /// Returns the place of the key with this hash.
    pub(crate) const fn find_place(hash: u64) -> KeyPlace {
        // The upper bytes of a product depend on all bits of its factors.
        let [upper, one, other, ..] = hash.to_be_bytes();
        KeyPlace { word: upper as usize & (WORDS - 1), bits: 1 << (one & 63) | 1 << (other & 63) }
    }
}

/// Hashes a key by its length, its ends and its middle, in which nearly all keys of an object differ.
pub(crate) const fn hash_key(key: &[u8]) -> u64 {
    let middle = if key.is_empty() { 0 } else { key[key.len() / 2] };
    let ends = if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
        (u32::from_le_bytes(*first) as u64) << 32 | u32::from_le_bytes(*last) as u64
    } else {
        let mut ends = 1;
        let mut at = 0;
        while at < key.len() {
            ends = ends << 8 | key[at] as u64;
            at += 1;
        }
        ends
    };
    // The multiplier is the golden ratio, as in Fibonacci hashing.
    (ends ^ (middle as u64) << 24 ^ (key.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_was_added_is_there_and_most_others_are_not() {
        let mut bits = KeyBits::<64>::default();
        let keys: Vec<String> = (0..100).map(|number| format!("key_{number}_of_100")).collect();
        let hash = hash_key(b"type");
        let may_have = |bits: &KeyBits<64>, hash| bits.may_have(KeyBits::<64>::find_place(hash));
        assert!(!may_have(&bits, hash) && bits.insert(hash) && !bits.insert(hash));
        for hash in ["", "t"].map(|key| hash_key(key.as_bytes())) {
            assert!(bits.insert(hash) && may_have(&bits, hash));
        }
        for key in &keys {
            bits.insert(hash_key(key.as_bytes()));
        }
        assert!(keys.iter().all(|key| may_have(&bits, hash_key(key.as_bytes()))));
        let taken =
            (0..100).filter(|number| may_have(&bits, hash_key(format!("other_{number}").as_bytes()))).count();
        assert!(taken < 10, "{taken}");
    }
}
