//! How long a request may take, how much may come back, and how often it is asked again.

use std::time::Duration;

/// The limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// For everything: all attempts and the waits between them.
    pub total: Duration,
    /// For a connection, with its name looked up and its keys exchanged.
    pub connect: Duration,
    /// How many bytes an answer may have.
    pub response_bytes: usize,
    /// How often it is asked again after a 429, a 5xx or a lost connection.
    pub retries: u32,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            total: Duration::from_secs(300),
            connect: Duration::from_secs(10),
            response_bytes: 16 << 20,
            retries: 2,
        }
    }
}
