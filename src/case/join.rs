//! A trace file that the cases of a suite share: the runs of each case.
//!
//! A case finds its runs by its id, or else by its text: a run that was asked exactly this text is a run of the case, and of
//! the runs that are left then, those that hold the text as a piece of its own. A run that two cases could take so is a run
//! of neither, unless both cases ask the same.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;

use super::fit::AskedTexts;
use super::piece::normalize;
use crate::check::InputMatch;
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
    /// The whole input with all turns: cases that ask the same share their runs.
    pub input: String,
    /// Which texts of a run are compared with the text.
    pub input_match: InputMatch,
}

/// Collects the runs of the cases of a group. All runs are added first, and then those that are left once more.
#[derive(Debug)]
pub struct RunJoiner<'g> {
    group: &'g JoinGroup,
    ids: HashMap<&'g str, Vec<usize>>,
    texts: HashMap<String, Vec<usize>>,
    /// The runs of each case, by its id and by its text.
    by_id: Vec<Vec<usize>>,
    by_text: Vec<Vec<usize>>,
    /// The runs that no case has found, in ascending order.
    left: Vec<usize>,
    contested: Vec<ContestedRun>,
    /// The index in `contested` of the first run that a case could take.
    first_contested: HashMap<usize, usize>,
    /// Finds the cases whose texts a run that is left may hold. It is built for the first such run.
    finder: Option<CaseFinder>,
    /// The number of texts of cases that were compared with runs that are left.
    compared: usize,
}

/// Finds the cases of which the text is a part of another text: all of them in one pass over it.
#[derive(Debug)]
struct CaseFinder {
    /// `None`: there are too many texts for one automaton, so each case is compared.
    texts: Option<AhoCorasick>,
    /// The cases of each text.
    cases: Vec<Vec<usize>>,
    /// The cases with a text of white space, which nothing contains.
    blank: Vec<usize>,
}

/// A run that cases with different inputs could take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestedRun {
    /// The number of the run.
    pub run: usize,
    /// The numbers of the cases, at least two: the first of them.
    pub cases: Vec<usize>,
}

/// The number of cases that are kept of a contested run. An error names twenty.
const MAX_CONTESTING: usize = 100;

/// The runs of the cases of a group.
#[derive(Debug, PartialEq, Eq)]
pub struct JoinedRuns {
    /// The numbers of the runs of each case.
    pub runs: Vec<Vec<usize>>,
    /// The runs that several cases could take: of each case at least the first.
    pub contested: Vec<ContestedRun>,
    first_contested: HashMap<usize, usize>,
}

impl JoinedRuns {
    /// Returns the first contested run that the case of this number could take.
    pub fn find_contested(&self, case: usize) -> Option<&ContestedRun> {
        self.contested.get(*self.first_contested.get(&case)?)
    }
}

impl<'g> RunJoiner<'g> {
    /// Starts without runs.
    pub fn new(group: &'g JoinGroup) -> Self {
        let mut ids = HashMap::<_, Vec<usize>>::new();
        let mut texts = HashMap::<_, Vec<usize>>::new();
        // Two cases may share an id or a text, so each leads to a list.
        for (number, case) in group.cases.iter().enumerate() {
            if let Some(id) = &case.id {
                ids.entry(id.as_str()).or_default().push(number);
            }
            if let Some(text) = &case.text {
                texts.entry(normalize(text).into_owned()).or_default().push(number);
            }
        }
        let none = vec![Vec::new(); group.cases.len()];
        Self {
            group,
            ids,
            texts,
            by_id: none.clone(),
            by_text: none,
            left: Vec::new(),
            contested: Vec::new(),
            first_contested: HashMap::new(),
            finder: None,
            compared: 0,
        }
    }

    /// Adds the run of this number to the cases with its id, or else to those that ask exactly its text.
    pub fn add_run(&mut self, number: usize, trace: &Trace) {
        if let Some(cases) = trace.id.as_deref().and_then(|id| self.ids.get(id)) {
            for case in cases {
                self.by_id[*case].push(number);
            }
            return;
        }
        let asked = AskedTexts::find_texts(trace);
        let mut cases: Vec<usize> = Vec::new();
        for (text, known) in asked
            .list_compared(InputMatch::Any)
            .filter_map(|text| Some((text, self.texts.get(&*normalize(text))?)))
        {
            // Which of the texts counts is a setting of the case.
            cases.extend(known.iter().filter(|case| {
                let mut compared = asked.list_compared(self.group.cases[**case].input_match);
                compared.any(|compared| compared == text)
            }));
        }
        cases.sort_unstable();
        cases.dedup();
        if cases.is_empty() {
            self.left.push(number);
        } else {
            self.give_run(number, cases);
        }
    }

    /// Returns the runs that no case has found, if some case with a text has found none.
    pub fn list_left(&self) -> &[usize] {
        let mut cases = self.group.cases.iter().enumerate();
        let is_searching = cases.any(|(number, case)| {
            case.text.is_some() && self.by_id[number].is_empty() && self.by_text[number].is_empty()
        });
        if is_searching { &self.left } else { &[] }
    }

    /// Adds a run that is left to the cases whose text it holds.
    pub fn add_left_run(&mut self, number: usize, trace: &Trace) {
        let asked = AskedTexts::find_texts(trace);
        let finder = self.finder.get_or_insert_with(|| CaseFinder::index_texts(&self.texts));
        // Each case is compared with few runs, and not each of thousands with thousands.
        let candidates = finder.find_candidates(&asked.list_searched(), self.group.cases.len());
        self.compared += candidates.len();
        let cases = candidates.into_iter().filter(|case| {
            let JoinedCase { text, input_match, .. } = &self.group.cases[*case];
            text.as_deref().is_some_and(|text| asked.fits(text, *input_match))
        });
        let cases = cases.collect();
        self.give_run(number, cases);
    }

    /// Gives a run to these cases, if all of them ask the same.
    fn give_run(&mut self, run: usize, cases: Vec<usize>) {
        let Some(first) = cases.first() else { return };
        let input = &self.group.cases[*first].input;
        if cases.iter().all(|case| self.group.cases[*case].input == *input) {
            for case in cases {
                self.by_text[case].push(run);
            }
        } else {
            let index = self.contested.len();
            let known = self.first_contested.len();
            for case in &cases {
                self.first_contested.entry(*case).or_insert(index);
            }
            // A run that only cases with a contested run could take tells them nothing new.
            if self.first_contested.len() > known {
                let cases = cases.into_iter().take(MAX_CONTESTING).collect();
                self.contested.push(ContestedRun { run, cases });
            }
        }
    }

    /// Returns the runs of each case. The runs with its id are all that a case gets, if there are any.
    pub fn into_runs(self) -> JoinedRuns {
        let both = self.by_id.into_iter().zip(self.by_text);
        let runs = both.map(|(by_id, by_text)| if by_id.is_empty() { by_text } else { by_id });
        JoinedRuns { runs: runs.collect(), contested: self.contested, first_contested: self.first_contested }
    }
}

impl CaseFinder {
    /// Indexes the cases by their texts without needless white space.
    fn index_texts(texts: &HashMap<String, Vec<usize>>) -> Self {
        let mut blank = Vec::new();
        let mut indexed = Vec::new();
        let mut cases = Vec::new();
        for (text, of_text) in texts {
            if text.is_empty() {
                blank.clone_from(of_text);
            } else {
                indexed.push(text.as_str());
                cases.push(of_text.clone());
            }
        }
        Self { texts: AhoCorasick::new(indexed).ok(), cases, blank }
    }

    /// Returns the cases whose text is a part of one of `searched`, in ascending order. `count` is the number of all cases.
    fn find_candidates(&self, searched: &[String], count: usize) -> Vec<usize> {
        let Some(texts) = &self.texts else { return (0..count).collect() };
        let found: HashSet<usize> = searched
            .iter()
            .flat_map(|text| texts.find_overlapping_iter(text).map(|found| found.pattern().as_usize()))
            .collect();
        let found = found.into_iter().flat_map(|text| &self.cases[text]);
        let mut found: Vec<usize> = found.chain(&self.blank).copied().collect();
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Role;

    /// Joins runs to cases: each has an id and a text.
    fn join(cases: &[(&str, &str)], runs: &[(&str, &str)]) -> JoinedRuns {
        let cases = cases.iter().map(|(id, text)| JoinedCase {
            id: Some((*id).to_owned()),
            text: Some((*text).to_owned()),
            input: (*text).to_owned(),
            input_match: InputMatch::First,
        });
        let group = JoinGroup { cases: cases.collect(), start: 0 };
        let traces: Vec<Trace> = runs
            .iter()
            .map(|(id, text)| {
                let mut trace = Trace { id: Some((*id).to_owned()), ..Trace::default() };
                trace.push_message(Role::User, *text);
                trace
            })
            .collect();
        let mut joiner = RunJoiner::new(&group);
        traces.iter().enumerate().for_each(|(number, trace)| joiner.add_run(number, trace));
        for number in joiner.list_left().to_vec() {
            joiner.add_left_run(number, &traces[number]);
        }
        joiner.into_runs()
    }

    #[track_caller]
    fn assert_joined(cases: &[(&str, &str)], runs: &[(&str, &str)], expected: &[&[usize]]) {
        let joined = join(cases, runs);
        assert_eq!(joined.runs, expected);
        assert_eq!(joined.contested, []);
    }

    const CASES: [(&str, &str); 2] = [("a", "order 1"), ("b", "order 17")];

    #[test]
    fn a_run_goes_to_the_case_of_its_id() {
        assert_joined(&CASES, &[("b", "order 1"), ("a", "x"), ("a", "y"), ("c", "z")], &[&[1, 2], &[0]]);
    }

    #[test]
    fn a_run_without_the_id_of_a_case_goes_to_the_case_that_asks_its_text() {
        assert_joined(&CASES, &[("1", "order  17\n"), ("2", "order 1")], &[&[1], &[0]]);
        // One case finds its run by the id, the other by the text.
        assert_joined(&CASES, &[("a", "hello"), ("2", "order 17"), ("3", "order 1")], &[&[0], &[1]]);
    }

    #[test]
    fn runs_that_are_left_are_joined_by_pieces() {
        let runs = [("1", "Question: order 17"), ("2", "Question: order 1"), ("3", "about order 1, please")];
        assert_joined(&CASES, &runs, &[&[1], &[0]]);
        assert_joined(&CASES, &[("1", "order 1")], &[&[0], &[]]);
    }

    #[test]
    fn a_run_for_two_questions_is_of_neither() {
        let joined = join(&CASES, &[("1", "order 1\norder 17"), ("2", "order 17")]);
        assert_eq!(joined.runs, [vec![], vec![1]]);
        assert_eq!(joined.contested, [ContestedRun { run: 0, cases: vec![0, 1] }]);
    }

    #[test]
    fn runs_that_hold_a_text_as_a_part_are_found_without_comparing_each_case() {
        let count = 2_000;
        let cases = (0..count).map(|number| JoinedCase {
            id: Some(format!("c{number}")),
            text: Some(format!("where is order {number}?")),
            input: number.to_string(),
            input_match: if number % 2 == 0 { InputMatch::First } else { InputMatch::Contains },
        });
        let group = JoinGroup { cases: cases.collect(), start: 0 };
        let mut joiner = RunJoiner::new(&group);
        let traces: Vec<Trace> = (0..count)
            .map(|number| {
                let mut trace = Trace { id: Some(format!("r{number}")), ..Trace::default() };
                let text = match number % 3 {
                    0 => format!("Question: where is order {number}?"),
                    1 => format!("Answer.\n\nwhere  is order\n{number}?\nThanks."),
                    _ => format!("{{\"question\": \"where is \\u006frder {number}?\"}}"),
                };
                trace.push_message(Role::User, text);
                trace
            })
            .collect();
        traces.iter().enumerate().for_each(|(number, trace)| joiner.add_run(number, trace));
        assert_eq!(joiner.list_left().len(), count);
        for number in joiner.list_left().to_vec() {
            joiner.add_left_run(number, &traces[number]);
        }
        assert_eq!(joiner.compared, count);
        let found = joiner.into_runs();
        for (number, runs) in found.runs.iter().enumerate() {
            // `contains` does not read JSON.
            let expected = if number % 2 == 1 && number % 3 == 2 { vec![] } else { vec![number] };
            assert_eq!(*runs, expected);
        }
    }

    #[test]
    fn each_case_knows_a_run_that_others_could_take() {
        let texts: Vec<String> = (0..300).map(|number| format!("order {number}")).collect();
        let cases: Vec<(&str, &str)> = texts.iter().map(|text| (text.as_str(), text.as_str())).collect();
        let all = texts.join("\n");
        let joined = join(&cases, &[("1", &all), ("2", &all)]);
        assert_eq!(joined.contested.len(), 1);
        assert!(joined.contested[0].cases.len() == MAX_CONTESTING && joined.find_contested(299).is_some());
    }

    #[test]
    fn cases_that_ask_the_same_share_their_runs() {
        assert_joined(&[("a", "order 1"), ("b", "order 1")], &[("1", "order 1")], &[&[0], &[0]]);
    }
}
