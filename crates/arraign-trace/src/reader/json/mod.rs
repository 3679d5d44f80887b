//! JSON as readers see it: records of a file, objects whose values are taken out, and trees that borrow from the text.

pub(crate) mod input;
pub(crate) mod key_bits;
pub(crate) mod object;
pub(crate) mod record_marks;
pub(crate) mod sse;
mod value;
