//! The trajectories of subagents within a trajectory, until their turn comes.

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::error::DecodeError;

/// A trajectory within another, and where it stands there.
#[derive(Debug)]
pub(crate) struct Child<'t> {
    pub(crate) index: usize,
    pub(crate) trajectory: JsonObject<'t>,
}

/// The children of one trajectory.
#[derive(Debug, Default)]
pub(crate) struct Children<'t> {
    waiting: Vec<Option<Child<'t>>>,
    by_id: HashMap<String, usize>,
}

impl<'t> Children<'t> {
    pub(crate) fn of(values: Vec<JsonNode<'t>>) -> Result<Self, DecodeError> {
        let mut children = Self::default();
        for (index, value) in values.into_iter().enumerate() {
            let trajectory = JsonObject::of(value, "a trajectory");
            let trajectory =
                trajectory.map_err(|error| error.at_key(index).at_key("subagent_trajectories"))?;
            // References use either of the two ids; the first trajectory with an id keeps it.
            for name in ["trajectory_id", "session_id"] {
                if let Some(id) = trajectory.get(name).and_then(JsonNode::as_str) {
                    children.by_id.entry(id.to_owned()).or_insert(index);
                }
            }
            children.waiting.push(Some(Child { index, trajectory }));
        }
        Ok(children)
    }

    /// The child that a reference names, unless it was taken before.
    pub(crate) fn take(&mut self, reference: &JsonNode) -> Option<Child<'t>> {
        let mut ids = ["trajectory_id", "session_id"].iter().filter_map(|name| reference.get(name)?.as_str());
        let place = ids.find_map(|id| self.by_id.get(id).copied())?;
        self.waiting.get_mut(place)?.take()
    }

    /// Returns the trajectories that no result has named.
    pub(crate) fn rest(self) -> impl Iterator<Item = Child<'t>> {
        self.waiting.into_iter().flatten()
    }
}
