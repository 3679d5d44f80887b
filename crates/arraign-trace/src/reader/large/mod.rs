//! Files of any size: where their runs are, and the runs one after the other.

pub(crate) mod cut;
pub(crate) mod follow;
pub(crate) mod index;
pub(crate) mod one_run;
pub(crate) mod pieces;
pub(crate) mod runs;
