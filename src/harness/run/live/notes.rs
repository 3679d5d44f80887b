//! The notes on agents at the end of a run.

use std::sync::atomic::Ordering;

use super::{AgentMode, LiveAgents};
use crate::case::AgentFingerprint;
use crate::report::plain::count_noun;
use crate::source::lock;
use crate::trace::Trace;

impl LiveAgents {
    /// Notes a run of the trial `name` that another definition of its agent made.
    pub(crate) fn note_run(&self, name: &str, agent: Option<&AgentFingerprint>, trace: &Trace) {
        let (Some(agent), Some(recorded)) = (agent, &trace.recorded) else { return };
        if recorded.agent.is_some() && !agent.has_definition(recorded) {
            lock(&self.redefined).insert(name.to_owned());
        }
    }

    /// Describes what the agents of the run did, and which recordings were made by other definitions of them.
    pub(crate) fn describe_run(&self) -> Vec<String> {
        let asked = self.asked.list_all();
        let fresh = self.asked.count_fresh();
        let ran: usize = asked.iter().map(|asked| asked.runs).sum();
        let mut notes = Vec::new();
        // Agents with a recorded model run in each mode.
        let keeps_runs = fresh > 0 || asked.iter().any(|asked| asked.keeps_runs);
        if keeps_runs && self.mode == AgentMode::Record {
            notes.push(format!("agents ran {}; {} fresh", count_times(ran), count_recordings(fresh)));
        } else if ran > 0 {
            notes.push(format!("agents ran {}", count_times(ran)));
        }
        notes.extend(self.describe_shared_folder());
        notes.extend(self.models.take_remarks());
        let mut remarks = std::mem::take(&mut *lock(&self.remarks));
        remarks.sort();
        notes.append(&mut remarks);
        let redefined = lock(&self.redefined);
        if !redefined.is_empty() {
            let names: Vec<&str> = redefined.iter().map(String::as_str).collect();
            notes.push(format!(
                "the definition of the agent has changed since the recording of {}: ARRAIGN_AGENT_MODE=record {}",
                count_noun(names.len(), "trial"),
                self.rerun.command_for_some(&names)
            ));
        }
        notes
    }
}

impl LiveAgents {
    /// Says that agents changed the package while others ran in it: what one of them did may have changed the verdict of another.
    fn describe_shared_folder(&self) -> Option<String> {
        const SHOWN: usize = 5;
        let several = self.sharing.runs.load(Ordering::Relaxed) > 1
            && self.pool.as_ref().is_some_and(|pool| pool.at_once() > 1);
        let before = self.sharing.before.get()?.as_ref().filter(|_| several)?;
        let changed = before.find_changed();
        if changed.is_empty() {
            return None;
        }
        let mut shown: Vec<String> = changed.iter().take(SHOWN).map(|path| format!("`{path}`")).collect();
        if changed.len() > SHOWN {
            shown.push(format!("{} more", changed.len() - SHOWN));
        }
        Some(format!(
            "agents changed {} in the package while others ran: they share its folder and disturb each other; `workspace: {{}}` \
             gives each run a folder of its own, and `workspace: {{from: FOLDER}}` a copy of one",
            shown.join(", ")
        ))
    }
}

fn count_times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn count_recordings(count: usize) -> String {
    if count == 1 { "1 recording was".to_owned() } else { format!("{count} recordings were") }
}
