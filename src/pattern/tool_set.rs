//! Many patterns over tools, looked up together.
//!
//! A list of thousands of globs must not be tried glob by glob for each of thousands of calls. An index finds the few patterns
//! that can mean a call, and only these are compared:
//!
//! 1. A name is found by its folded spelling.
//! 2. A glob is found by its longest piece without wildcards: each name that it matches contains that piece, folded. The
//!    index looks up every part of the call's name that is as long as one of the pieces.
//! 3. A glob without such a piece is always compared, and so are all patterns if the name of the call is not ASCII, because
//!    there are letters outside of ASCII that only globs fold.
//!
//! One set of all globs (as globset has it) would not do: its automaton is too large for thousands of globs that begin with a
//! star, and then it is slower than the globs one by one.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use arraign_trace::trace::Call;
use smol_str::SmolStr;

use super::ToolPattern;
use super::normal_name::{fold_name, is_separator};

/// The number of comparisons after which an index is built. It costs about as much as this many comparisons.
const MAX_COMPARED: usize = 100_000;

/// The length of a list that is never indexed: comparing one by one is faster.
pub const MAX_SHORT_LIST: usize = 32;

/// The length of the pieces by which globs are found. Each length costs a pass over the name of a call.
const MAX_PIECE: usize = 32;

/// A list of patterns.
#[derive(Debug, Default)]
pub struct ToolPatternSet {
    patterns: Vec<ToolPattern>,
    compared: AtomicUsize,
    /// Empty until it pays.
    index: OnceLock<PatternIndex>,
}

/// Finds patterns by the name of a tool.
#[derive(Debug, Default)]
struct PatternIndex {
    /// The patterns without a glob, by their folded names.
    names: HashMap<SmolStr, Vec<usize>>,
    /// The globs, by a folded piece that each name contains which they match.
    pieces: HashMap<Vec<u8>, Vec<usize>>,
    /// The lengths of `pieces`.
    lengths: BTreeSet<usize>,
    /// The globs that can match a name whatever it contains.
    others: Vec<usize>,
}

impl ToolPatternSet {
    /// Creates a set that keeps the order of its patterns.
    pub fn new(patterns: Vec<ToolPattern>) -> Self {
        Self { patterns, ..Self::default() }
    }

    /// Returns the patterns, in order.
    pub fn patterns(&self) -> &[ToolPattern] {
        &self.patterns
    }

    /// Returns the index of the first pattern that means `call`.
    pub fn find_match(&self, call: &Call) -> Option<usize> {
        self.find(call, |index| self.patterns[index].matches(call))
    }

    /// Returns the index of the first pattern for which `test` is true. `test` is only called for patterns that can mean
    /// `call`.
    pub fn find(&self, call: &Call, mut test: impl FnMut(usize) -> bool) -> Option<usize> {
        let Some(candidates) = self.use_index().and_then(|index| index.list_candidates(call)) else {
            let found = (0..self.patterns.len()).find(|index| test(*index));
            self.count(found.map_or(self.patterns.len(), |index| index + 1));
            return found;
        };
        self.count(candidates.len());
        candidates.into_iter().find(|index| test(*index))
    }

    /// Returns the indices of all patterns that mean `call`, in order.
    pub fn list_matches(&self, call: &Call) -> Vec<usize> {
        let mut found = Vec::new();
        self.find(call, |index| {
            if self.patterns[index].matches(call) {
                found.push(index);
            }
            false
        });
        found
    }

    fn count(&self, comparisons: usize) {
        // A short list is never indexed, so nobody asks for its count.
        if self.is_long() {
            self.compared.fetch_add(comparisons, Ordering::Relaxed);
        }
    }

    fn is_long(&self) -> bool {
        self.patterns.len() > MAX_SHORT_LIST
    }

    fn use_index(&self) -> Option<&PatternIndex> {
        if !self.is_long() || self.compared.load(Ordering::Relaxed) < MAX_COMPARED {
            return None;
        }
        Some(self.index.get_or_init(|| PatternIndex::build(&self.patterns)))
    }
}

impl PatternIndex {
    fn build(patterns: &[ToolPattern]) -> Self {
        let mut index = Self::default();
        for (number, pattern) in patterns.iter().enumerate() {
            for (matcher, text) in pattern.matchers() {
                if let Some(name) = matcher.exact_name() {
                    index.names.entry(fold_name(name)).or_default().push(number);
                } else if let Some(piece) = find_piece(text) {
                    index.lengths.insert(piece.len());
                    index.pieces.entry(piece).or_default().push(number);
                } else {
                    index.others.push(number);
                }
            }
        }
        index
    }

    /// Lists the patterns that can mean `call`, in order. A pattern that is not listed does not mean it, whichever spelling
    /// it compares. `None` if each of them can.
    fn list_candidates(&self, call: &Call) -> Option<Vec<usize>> {
        let mut found = self.others.clone();
        for name in [Some(&call.name), call.written.as_ref()].into_iter().flatten() {
            if !name.is_ascii() {
                return None;
            }
            let folded = fold_name(name);
            found.extend(self.names.get(&folded).into_iter().flatten());
            for length in &self.lengths {
                let parts = folded.as_bytes().windows(*length);
                found.extend(parts.filter_map(|part| self.pieces.get(part)).flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

/// Finds the longest piece of a glob that each ASCII name contains which the glob matches, both folded. `None` if there is
/// none.
fn find_piece(glob: &str) -> Option<Vec<u8>> {
    // What is between the first opening bracket and the last closing one may be a choice.
    let (head, tail) = match (glob.find(['[', '{']), glob.rfind([']', '}'])) {
        (Some(first), Some(last)) => (&glob[..first], glob.get(last + 1..).unwrap_or_default()),
        _ => (glob, ""),
    };
    // A backslash takes away the meaning of the next character, and that character is left out as well.
    let texts = [head, tail].into_iter().flat_map(|text| text.split('\\').enumerate());
    let texts = texts.map(|(at, text)| if at == 0 { text } else { text.get(1..).unwrap_or_default() });
    let pieces = texts.flat_map(|text| text.split(|c: char| matches!(c, '*' | '?') || !c.is_ascii()));
    let folded = pieces.filter(|piece| !piece.chars().all(is_separator)).map(fold_name);
    let mut longest = String::from(folded.max_by_key(SmolStr::len)?).into_bytes();
    longest.truncate(MAX_PIECE);
    Some(longest)
}

#[cfg(test)]
mod tests {
    use arraign_trace::trace::{Arguments, ToolServer};

    use super::*;
    use crate::pattern::NormalPattern;

    const NAMES: &[&str] = &[
        "get_order",
        "GetOrder",
        "getorder",
        "admin_reset",
        "ADMIN_reset",
        "rm",
        "rm_all",
        "a.b-c",
        "__",
        "db_drop",
        "x7",
        "\u{212a}elvin",
        "a\\b*c",
        "a]x",
    ];

    fn call(name: &str, server: Option<&str>) -> Call {
        let mut call =
            Call::new(format!("mcp__{}__{name}", server.unwrap_or_default()), Arguments::none(), 1);
        call.set_tool(
            name,
            server.map_or(ToolServer::NotRecorded, |server| ToolServer::Named(server.to_owned())),
        );
        call
    }

    fn patterns() -> Vec<ToolPattern> {
        let texts = [
            "get_order",
            "shop:get_order",
            "*_order",
            "shop:*",
            "{rm,del}*",
            "admin_*",
            "[!a]*7",
            "A*",
            "db_[a-z]*",
            "__",
            "_*",
            "mcp__shop__rm",
            "?m",
            "crm:admin_*",
            "kelvin*",
            "a\\\\b\\*c*",
            "a]*",
            "[]a]*x",
            "*",
        ];
        let exact = texts.iter().map(|text| ToolPattern::new(text).expect("a pattern"));
        let any_case = exact.clone().map(|pattern| pattern.in_any_case().expect("a pattern"));
        let normal = texts.iter().map(|text| NormalPattern::new(text).expect("a pattern").pattern().clone());
        exact.chain(any_case).chain(normal).collect()
    }

    #[test]
    fn an_index_finds_what_comparing_one_by_one_finds() {
        let set = ToolPatternSet::new(patterns());
        for indexed in [false, true] {
            set.count(if indexed { MAX_COMPARED } else { 0 });
            assert_eq!(set.use_index().is_some(), indexed);
            for (name, server) in
                NAMES.iter().flat_map(|name| [None, Some("shop"), Some("crm")].map(|server| (name, server)))
            {
                let call = call(name, server);
                let expected: Vec<usize> =
                    (0..set.patterns().len()).filter(|index| set.patterns()[*index].matches(&call)).collect();
                assert_eq!(set.list_matches(&call), expected, "{name} of {server:?}");
                assert_eq!(set.find_match(&call), expected.first().copied());
                let possible = set.find(&call, |index| set.patterns()[index].may_match(&call));
                assert_eq!(possible, set.patterns().iter().position(|pattern| pattern.may_match(&call)));
            }
        }
    }

    #[test]
    fn thousands_of_globs_are_not_compared_with_each_of_thousands_of_calls() {
        let globs =
            (0..2_000).map(|number| ToolPattern::new(&format!("*tool_{number}_[a-z]*x")).expect("a glob"));
        let set = ToolPatternSet::new(globs.collect());
        for number in 0..20_000 {
            assert_eq!(
                set.find_match(&call(&format!("my_tool_{number}_bx"), None)),
                (number < 2_000).then_some(number)
            );
        }
        let compared = set.compared.load(Ordering::Relaxed);
        assert!(compared < 2 * MAX_COMPARED, "{compared} of 40,000,000 comparisons");
    }
}
