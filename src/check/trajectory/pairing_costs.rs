//! The costs of leaving expected and actual calls unpaired, and of pairing two that differ.
//!
//! The weights are so far apart that a sum of lesser ones never reaches a greater one. First counts the number of calls
//! that violate the mode, then the number of such calls without a near partner, then the number of differing arguments.

/// A demanded slot without its call, or a forbidden call without a slot.
// 2^44 leaves room for the sum of 2^18 violations in 63 bits, and 2^26 for as many distances of at most 200.
const VIOLATION: i64 = 1 << 44;
/// The cost of such a slot or call without a near partner.
const ALONE: i64 = 1 << 26;

/// The fit of a slot and a call that agree.
pub(super) const MATCH: u8 = 0;
/// The greatest distance between a slot and a call of the same tool.
pub(super) const FARTHEST: u8 = 200;
/// The fit of a slot and a call of another tool.
pub(super) const UNRELATED: u8 = u8::MAX;

/// How slots and calls fit, and which of them must be paired.
#[derive(Debug, Clone)]
pub(super) struct PairingCosts {
    /// The fit of each slot (row) and call (column): [`MATCH`], a distance, or [`UNRELATED`].
    pub(super) fits: Vec<u8>,
    /// Whether each slot is demanded.
    pub(super) demanded: Vec<bool>,
    /// Whether each call is forbidden without a slot.
    pub(super) forbidden: Vec<bool>,
}

impl PairingCosts {
    /// The fit of a slot and a call.
    pub(super) fn fit(&self, slot: usize, call: usize) -> u8 {
        self.fits[slot * self.forbidden.len() + call]
    }

    /// The cost of leaving a slot without a call.
    pub(super) fn slot_alone(&self, slot: usize) -> i64 {
        if self.demanded[slot] { VIOLATION + ALONE } else { 0 }
    }

    /// The cost of leaving a call without a slot.
    pub(super) fn call_alone(&self, call: usize) -> i64 {
        if self.forbidden[call] { VIOLATION + ALONE } else { 0 }
    }

    /// The cost of a pair; `None` for two that are not related.
    pub(super) fn pair(&self, slot: usize, call: usize) -> Option<i64> {
        let violations = i64::from(self.demanded[slot]) + i64::from(self.forbidden[call]);
        match self.fit(slot, call) {
            MATCH => Some(0),
            UNRELATED => None,
            distance => Some(violations * VIOLATION + i64::from(distance)),
        }
    }
}

/// The call of each slot.
pub(super) type Pairs = Vec<Option<usize>>;
