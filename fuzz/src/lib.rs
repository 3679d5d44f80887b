//! What the fuzz targets run.

pub mod cases;
pub mod inputs;
pub mod seeds;
pub mod traces;
