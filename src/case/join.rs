//! A trace file that several cases of a suite share: the runs of each case.
//!
//! Cases find their runs by id, by the first text of the user, or by any text of the user: by the first of these with which
//! each case finds a run. If there is none, the runs are not joined, and each case has all of them.

use std::collections::HashMap;

use super::fit::{contains_text, user_texts};
use crate::secrets::collapse_blanks;
use crate::trace::Trace;

/// The cases that share a trace file.
#[derive(Debug, Default)]
pub struct JoinGroup {
    /// The cases, in the order of the file.
    pub cases: Vec<JoinedCase>,
    /// The place of the group in its file: the same file can have several groups.
    pub start: u32,
}

/// The facts by which a case finds its runs.
#[derive(Debug, Clone, Default)]
pub struct JoinedCase {
    /// The id.
    pub id: Option<String>,
    /// The text of the input, or of the first turn.
    pub text: Option<String>,
}

/// A way to find the runs of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinWay {
    /// The id of the run is that of the case.
    Id,
    /// The first text of the user is that of the case.
    FirstText,
    /// Some text of the user contains that of the case.
    AnyText,
}

/// Collects the runs of the cases of a group.
#[derive(Debug)]
pub struct RunJoiner<'g> {
    group: &'g JoinGroup,
    ids: HashMap<&'g str, Vec<usize>>,
    texts: HashMap<String, Vec<usize>>,
    /// For each way, the numbers of the runs of each case.
    found: Vec<(JoinWay, Vec<Vec<usize>>)>,
}

impl<'g> RunJoiner<'g> {
    /// Starts without runs. The first of the `ways` that finds a run for each case counts.
    pub fn new(group: &'g JoinGroup, ways: &[JoinWay]) -> Self {
        let (mut ids, mut texts) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        // Two cases may share an id or a text, so each leads to a list.
        for (number, case) in group.cases.iter().enumerate() {
            if let Some(id) = &case.id {
                ids.entry(id.as_str()).or_default().push(number);
            }
            if let Some(text) = &case.text {
                texts.entry(normalize_text(text)).or_default().push(number);
            }
        }
        let found = ways.iter().map(|way| (*way, vec![Vec::new(); group.cases.len()]));
        Self { group, ids, texts, found: found.collect() }
    }

    /// Adds the run of this number.
    pub fn add_run(&mut self, number: usize, trace: &Trace) {
        // The list is taken out, as the search borrows the rest of the join.
        let mut found = std::mem::take(&mut self.found);
        for (way, runs) in &mut found {
            for case in self.find_cases(*way, trace) {
                runs[case].push(number);
            }
        }
        self.found = found;
    }

    fn find_cases(&self, way: JoinWay, trace: &Trace) -> Vec<usize> {
        let known = match way {
            JoinWay::Id => trace.id.as_deref().and_then(|id| self.ids.get(id)),
            JoinWay::FirstText => {
                // Several cases may ask the same, and share the run.
                user_texts(trace).next().and_then(|text| self.texts.get(&normalize_text(text)))
            }
            JoinWay::AnyText => {
                let cases = self.group.cases.iter().enumerate();
                let asked = cases
                    .filter(|(_, case)| case.text.as_deref().is_some_and(|text| contains_text(trace, text)));
                return asked.map(|(number, _)| number).collect();
            }
        };
        known.cloned().unwrap_or_default()
    }

    /// Returns the numbers of the runs of each case. `None` if some case finds no run in any way.
    pub fn into_runs(self) -> Option<Vec<Vec<usize>>> {
        let mut found = self.found.into_iter().map(|(_, cases)| cases);
        found.find(|cases| cases.iter().all(|runs| !runs.is_empty()))
    }
}

fn normalize_text(text: &str) -> String {
    collapse_blanks(text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Role;

    fn join(cases: &[(&str, &str)], runs: &[(&str, &str)]) -> Option<Vec<Vec<usize>>> {
        let cases = cases
            .iter()
            .map(|(id, text)| JoinedCase { id: Some((*id).to_owned()), text: Some((*text).to_owned()) });
        let group = JoinGroup { cases: cases.collect(), start: 0 };
        let mut joiner = RunJoiner::new(&group, &[JoinWay::Id, JoinWay::FirstText, JoinWay::AnyText]);
        for (number, (id, text)) in runs.iter().enumerate() {
            let mut trace = Trace { id: Some((*id).to_owned()), ..Trace::default() };
            trace.push_message(Role::User, *text);
            joiner.add_run(number, &trace);
        }
        joiner.into_runs()
    }

    #[test]
    fn runs_are_joined_by_the_first_way_that_finds_a_run_for_each_case() {
        let cases = [("a", "order 7"), ("b", "order 77")];
        let by_id = join(&cases, &[("b", "order 7"), ("a", "x"), ("a", "y"), ("c", "z")]);
        assert_eq!(by_id, Some(vec![vec![1, 2], vec![0]]));
        let by_first_text = join(&cases, &[("1", "order  77\n"), ("2", "order 7")]);
        assert_eq!(by_first_text, Some(vec![vec![1], vec![0]]));
        let by_any_text = join(&cases, &[("1", "About order 77?"), ("2", "About order 7?")]);
        assert_eq!(by_any_text, Some(vec![vec![0, 1], vec![0]]));
        assert_eq!(join(&cases, &[("a", "order 7"), ("2", "order 8")]), None);
    }
}
