//! Limits of time, size and retries.

use std::time::Duration;

/// The limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// The time for all attempts and the waits between them.
    pub total: Duration,
    /// The time for a connection, including name lookup and TLS handshake.
    pub connect: Duration,
    /// The largest size of a response body, in bytes.
    pub response_bytes: usize,
    /// The number of retries after a 429, a 5xx or a lost connection.
    pub retries: u32,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            total: Duration::from_mins(5),
            connect: Duration::from_secs(10),
            response_bytes: 16 << 20,
            retries: 2,
        }
    }
}
