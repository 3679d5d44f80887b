//! Checks that combine other checks.

pub(super) mod all_of;
pub(super) mod any_of;
pub(super) mod none_of;

mod inner;
