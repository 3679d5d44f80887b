//! Fingerprints: hashes that say whether something has changed.

use std::fmt::{self, Write};

/// Returns the fingerprint of some bytes: `sha256:` and the hash in hexadecimal.
pub fn fingerprint_bytes(bytes: &[u8]) -> String {
    render_hash(hmac_sha256::Hash::hash(bytes))
}

fn render_hash(hash: [u8; 32]) -> String {
    let mut fingerprint = "sha256:".to_owned();
    for byte in hash {
        // Writing to a `String` cannot fail.
        let _ = write!(fingerprint, "{byte:02x}");
    }
    fingerprint
}

/// Takes the fingerprint of all bytes that are written to it, as [`fingerprint_bytes`] does of those that are in memory.
#[cfg(feature = "live")]
#[derive(Default)]
pub(crate) struct FingerprintWriter(hmac_sha256::Hash);

#[cfg(feature = "live")]
impl FingerprintWriter {
    /// Returns the fingerprint.
    pub(crate) fn finish(self) -> String {
        render_hash(self.0.finalize())
    }
}

#[cfg(feature = "live")]
impl std::io::Write for FingerprintWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The FNV-1a hash of 64 bits of all text that is written to it: the same on every machine and in every version. It is no guard against a person who wants two texts to have
/// one hash, and much cheaper than a fingerprint.
#[derive(Debug)]
pub(crate) struct TextHash(u64);

impl TextHash {
    /// The hash of no text.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Returns the hash of a text.
    pub(crate) fn of(text: &str) -> u64 {
        let mut hash = Self::new();
        hash.add(text);
        hash.0
    }

    /// Returns the hash of all text so far.
    pub(crate) fn value(&self) -> u64 {
        self.0
    }

    /// Adds a text.
    pub(crate) fn add(&mut self, text: &str) {
        let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = text.bytes().fold(self.0, mix);
    }
}

impl Write for TextHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text);
        Ok(())
    }
}
