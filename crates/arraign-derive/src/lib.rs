//! A part of [arraign](https://docs.rs/arraign), without a use of its own.
//!
//! Every setting of arraign is one struct, which reads the setting and describes it to editors. Only who writes the JSON
//! Schema of cases needs the description, so schemars is an optional dependency. Without it, this derive stands in its place:
//! the structs need no `cfg_attr`.

use proc_macro::TokenStream;

/// Derives nothing, and accepts the attributes of schemars' `JsonSchema`.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn derive_json_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
