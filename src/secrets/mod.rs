//! Secrets in texts: what outputs may quote, and the values of variables and headers that are known to be secrets.

mod difference;
#[cfg(any(feature = "http", feature = "live"))]
mod encoded;
mod known;
#[cfg(any(feature = "http", feature = "live"))]
mod named;
mod quoted;
mod run;

pub(crate) use difference::{collapse_blanks, quote_difference};
pub use known::{KnownSecrets, SecretMasker};
#[cfg(any(feature = "http", feature = "live"))]
pub use named::{Secrets, names_a_secret};
pub(crate) use quoted::QuotedText;
pub use run::mask_run;
