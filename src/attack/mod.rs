//! Attacks on the agents of cases: texts in the results of mock tools, which ask for what the user did not ask for.
//!
//! `pack` reads the texts, `place` finds the results that a run has read, `derive` makes a case of each attack, and `report`
//! sums up the verdicts. The harness runs the cases.

mod derive;
mod pack;
mod place;
mod report;

pub use derive::{Attack, AttackList, attack_case, list_attacks};
pub use pack::{AttackPack, AttackTemplate, SHIPPED};
pub use place::{AttackPlace, list_places};
pub use report::{
    AttackOutcome, AttackRate, AttackReport, AttackResult, AttackTally, AttackUtility, AttackedCase, tally_by,
};
