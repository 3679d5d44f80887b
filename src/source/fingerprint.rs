//! Fingerprints: hashes that say whether something has changed.

use std::fmt::Write as _;

/// Returns the fingerprint of some bytes: `sha256:` and the hash in hexadecimal.
pub fn fingerprint_bytes(bytes: &[u8]) -> String {
    let mut fingerprint = "sha256:".to_owned();
    for byte in hmac_sha256::Hash::hash(bytes) {
        // Writing to a `String` cannot fail.
        let _ = write!(fingerprint, "{byte:02x}");
    }
    fingerprint
}
