//! Pairs the expected calls of a list with the calls of a run.

use super::alignment::align_calls;
use super::assignment::assign_calls;
use super::edits::{CallEdit, EditKind, EditScript, HeldCall};
use super::entry::CallSlot;
use super::pairing_costs::{FARTHEST, MATCH, PairingCosts, Pairs, UNRELATED};
use super::run_calls::RunCalls;
use super::settings::Trajectory;
use super::spec::{CallDifference, CallSpec};
use crate::check::support::call_status::WantedStatus;
use crate::outcome::CannotDecide;
use crate::trace::Call;

/// The greatest number of comparisons of an expected call with a call.
const MAX_COMPARISONS: usize = 10_000_000;

/// Pairs all slots, and returns what a run that agrees would have to change.
pub(super) fn compare_calls(trajectory: &Trajectory, run: &RunCalls<'_>) -> Result<EditScript, CannotDecide> {
    let slots: Vec<&CallSlot> = trajectory.groups.iter().flatten().collect();
    // Each slot is compared with each call, and a comparison may run patterns.
    if slots.len().saturating_mul(run.calls.len()) > MAX_COMPARISONS {
        let slots = slots.len();
        let calls = run.calls.len();
        let why = format!("{slots} expected calls are too many to compare with {calls} calls");
        return Err(CannotDecide::budget_exceeded(why).help("split the list, or the run"));
    }
    let costs = build_costs(trajectory, &slots, run)?;
    let pairs = if trajectory.mode.is_ordered() {
        align_calls(&costs, &list_group_sizes(trajectory))
    } else {
        assign_calls(&costs).0
    };
    ScriptBuilder { trajectory, slots, costs, run, pairs }.build()
}

fn list_group_sizes(trajectory: &Trajectory) -> Vec<u16> {
    trajectory.groups.iter().map(|group| u16::try_from(group.len()).unwrap_or(u16::MAX)).collect()
}

fn build_costs(
    trajectory: &Trajectory,
    slots: &[&CallSlot],
    run: &RunCalls<'_>,
) -> Result<PairingCosts, CannotDecide> {
    let mut fits = Vec::with_capacity(slots.len() * run.calls.len());
    // Every slot is compared with every call. This is the expensive part, and `MAX_COMPARISONS` bounds it.
    for slot in slots {
        for call in run.calls.iter() {
            fits.push(measure_fit(slot, call, run)?);
        }
    }
    // A failed call is no effect, so that it needs no slot: a retry after an error is no violation.
    let counts_failed = trajectory.defaults.status == WantedStatus::Any;
    // With `status: any`, a failed call counts like any other.
    let is_forbidden =
        |call: &Call| trajectory.mode.forbids_extras() && (counts_failed || run.is_forbidden(call));
    Ok(PairingCosts {
        fits,
        demanded: slots.iter().map(|slot| slot.demanded && trajectory.mode.demands_all()).collect(),
        forbidden: run.calls.iter().map(is_forbidden).collect(),
    })
}

/// The fit of the slot's nearest alternative.
fn measure_fit(slot: &CallSlot, call: &Call, run: &RunCalls<'_>) -> Result<u8, CannotDecide> {
    let mut best = UNRELATED;
    for spec in slot.specs.iter().filter(|spec| spec.means_tool(call)) {
        let differences = spec.count_differences(call, run)?;
        // More differences than a byte can count are all equally far.
        best = best.min(u8::try_from(differences).unwrap_or(FARTHEST).min(FARTHEST));
        if best == MATCH {
            break;
        }
    }
    Ok(best)
}

struct ScriptBuilder<'b> {
    trajectory: &'b Trajectory,
    slots: Vec<&'b CallSlot>,
    costs: PairingCosts,
    run: &'b RunCalls<'b>,
    pairs: Pairs,
}

impl ScriptBuilder<'_> {
    fn build(&self) -> Result<EditScript, CannotDecide> {
        let mut script = EditScript::default();
        let mut is_paired = vec![false; self.run.calls.len()];
        self.pairs.iter().flatten().for_each(|call| is_paired[*call] = true);
        for (slot, call) in self.pairs.iter().enumerate() {
            self.add_slot(slot, *call, &is_paired, &mut script)?;
        }
        for (index, call) in self.run.calls.iter().enumerate() {
            // A call that is not forbidden may stand beside the list.
            if self.costs.forbidden[index] && !is_paired[index] {
                script.extra += 1;
                script.edits.push(CallEdit::remove(call));
            }
        }
        script.sort();
        Ok(script)
    }

    fn add_slot(
        &self,
        slot: usize,
        call: Option<usize>,
        is_paired: &[bool],
        script: &mut EditScript,
    ) -> Result<(), CannotDecide> {
        let demanded = self.costs.demanded[slot];
        let label = self.label(slot);
        match call {
            Some(call) if self.costs.fit(slot, call) == MATCH => {
                // An optional slot counts only if its call would otherwise be one too many.
                script.matched += usize::from(demanded || self.costs.forbidden[call]);
                script.held.push(self.hold(slot, call, label));
            }
            Some(call) => {
                let missing = usize::from(demanded);
                let extra = usize::from(self.costs.forbidden[call]);
                (script.missing, script.extra) = (script.missing + missing, script.extra + extra);
                let weight = missing + extra;
                script.edits.push(self.describe_change(slot, call, label, weight)?);
            }
            None if demanded => {
                script.missing += 1;
                script.edits.push(self.describe_missing(slot, label, is_paired));
            }
            None => script.free.push(label),
        }
        Ok(())
    }

    fn label(&self, slot: usize) -> String {
        let tools: Vec<&str> = self.slots[slot].specs.iter().map(|spec| spec.tool.as_str()).collect();
        tools.join(" or ")
    }

    fn describe_change(
        &self,
        slot: usize,
        call: usize,
        label: String,
        weight: usize,
    ) -> Result<CallEdit, CannotDecide> {
        let actual = &self.run.calls[call];
        // Of several alternatives the message shows the one that the call comes nearest to.
        let mut best: Option<(CallDifference, &CallSpec)> = None;
        for spec in self.slots[slot].specs.iter().filter(|spec| spec.means_tool(actual)) {
            let difference = spec.describe_differences(actual, self.run)?;
            let is_nearer = best.as_ref().is_none_or(|(known, _)| difference.count() < known.count());
            if is_nearer {
                best = Some((difference, spec));
            }
        }
        let (difference, mode) = best
            .map(|(difference, spec)| {
                (difference, spec.arguments.as_ref().map(|arguments| arguments.mode.word()))
            })
            .unwrap_or_default();
        let entry = self.slots[slot].entry;
        let at = self.slots[slot].at.clone();
        let tool = if label == actual.name { label } else { actual.name.clone() };
        let call = Some(actual.index);
        let kind = EditKind::Change { difference, mode };
        Ok(CallEdit { tool, call, entry, at, weight, kind })
    }

    /// The line of an expected call that was made.
    fn hold(&self, slot: usize, call: usize, tool: String) -> HeldCall {
        let call = &self.run.calls[call];
        let mut specs = self.slots[slot].specs.iter().filter(|spec| spec.means_tool(call));
        let basis = specs.find_map(|spec| self.run.describe_basis(call, spec.status));
        HeldCall { tool, call: call.index, basis }
    }

    /// The number of calls of the slot's tools that are paired with other slots.
    fn count_paired(&self, slot: usize, is_paired: &[bool]) -> usize {
        let specs = &self.slots[slot].specs;
        let paired = self.run.calls.iter().zip(is_paired).filter(|(_, is_paired)| **is_paired);
        paired.filter(|(call, _)| specs.iter().any(|spec| spec.means_tool(call))).count()
    }

    /// A slot without a call. In an ordered mode, a call that agrees may be elsewhere.
    fn describe_missing(&self, slot: usize, label: String, is_paired: &[bool]) -> CallEdit {
        // A call that agrees and has no slot was made at another place in the order. The message then says where.
        let mut free =
            (0..is_paired.len()).filter(|call| self.costs.fit(slot, *call) == MATCH && !is_paired[*call]);
        let elsewhere = free.next().filter(|_| self.trajectory.mode.is_ordered());
        let entry = self.slots[slot].entry;
        let at = self.slots[slot].at.clone();
        let kind = EditKind::Add { of_other_entries: self.count_paired(slot, is_paired) };
        let call = elsewhere.map(|call| self.run.calls[call].index);
        CallEdit { tool: label, call, entry, at, weight: 1, kind }
    }
}
