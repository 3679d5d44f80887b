//! JSON that keeps what was written: the digits of numbers, the order of keys.
//!
//! [`Json`] is the tree that traces, checks and verdicts hold. It has the names of `serde_json::Value`, and differs from it
//! in three ways:
//!
//! - A number is its digits ([`JsonNumber`]): `100000000000000000001` stays what it is, and numbers are compared by value.
//! - An object keeps the order of its keys ([`JsonObject`]), whatever features the program enables in `serde_json`.
//! - A clone shares texts instead of copying them.
//!
//! [`parse`] reads a text, and [`Json`]'s `Display` writes it. Types that derive serde's traits are read and written by
//! [`from_str`], [`from_json`], [`to_json`] and [`to_string`]. A `serde_json::Value` converts in both directions with `From`.
//!
//! ```
//! use arraign_trace::json::{self, Json, json};
//!
//! let transfer = json::parse(r#"{"wei": 100000000000000000001, "fee": 1.50}"#)?;
//! assert_eq!(transfer.to_string(), r#"{"wei":100000000000000000001,"fee":1.50}"#);
//! assert_eq!(transfer["fee"], json!(1.5));
//! assert_ne!(transfer["wei"], json::parse("100000000000000000000")?);
//!
//! let value = serde_json::Value::from(&json!({"id": 7}));
//! assert_eq!(Json::from(value)["id"], 7);
//! # Ok::<(), json::JsonError>(())
//! ```

mod convert;
mod deserialize;
mod error;
mod halves;
mod macros;
mod map;
mod number;
mod parse;
mod serialize;
mod stream;
mod text;
mod tree;
mod write;

pub use crate::json_macro as json;
pub use deserialize::{from_json, from_str};
pub use error::JsonError;
pub(crate) use halves::join_halves;
pub use map::{JsonMap, JsonObject};
pub use number::JsonNumber;
pub(crate) use number::scan_number;
#[doc(hidden)]
pub use parse::{JsonValues, check_keys, parse_first, parse_first_lenient};
pub(crate) use parse::{find_error, parse_entries};
pub use parse::{parse, parse_borrowed, parse_lenient};
pub use serialize::to_json;
pub use stream::{to_string, to_string_pretty, to_vec, write_json};
pub use text::JsonText;
pub use tree::{Json, JsonNode};
#[doc(hidden)]
pub use write::render_plain;
