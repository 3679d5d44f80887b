//! Reads a pattern by the grammar that engines follow without the flag `u` (ECMAScript, Annex B).
//!
//! It is lenient where engines are: a brace that begins no count, a closing bracket, an escape that means nothing
//! stand for themselves.

use super::cursor::PatternCursor;
use super::syntax::{JsAssertion, JsLook, JsPart, JsPattern, JsRepeat};
use super::units::UnitSet;
use super::{Flags, JsRegexError, canon};

/// Groups nested deeper are refused: no reader follows them.
const MAX_DEPTH: usize = 100;

pub(super) struct JsParser {
    pub(super) cursor: PatternCursor,
    pub(super) flags: Flags,
    /// All groups of the pattern: an escape such as `\2` means one of them only if there are so many.
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
    opened: usize,
    depth: usize,
}

pub(super) fn parse_pattern(pattern: &str, flags: Flags) -> Result<JsPattern, JsRegexError> {
    let cursor = PatternCursor::new(pattern);
    // Names and numbers of groups must be known first: `\k<name>` may come before its group.
    let (groups, names) = count_groups(cursor.clone());
    let mut parser = JsParser { cursor, flags, groups, names, opened: 0, depth: 0 };
    let root = parser.parse_alternatives()?;
    match parser.cursor.peek() {
        None => Ok(JsPattern { root, groups, names: parser.names }),
        Some(_) => Err(parser.error_here("this `)` closes no group: write `\\)` for the character")),
    }
}

/// Counts the groups that capture, and lists those with names. A mistake in a name is reported when the parser
/// reaches it.
fn count_groups(mut cursor: PatternCursor) -> (usize, Vec<(String, usize)>) {
    let mut count = 0;
    let mut names = Vec::new();
    let mut in_class = false;
    // Whether `\2` is a back-reference or an octal character depends on the number of groups in the whole pattern,
    // also those behind it. So the groups are counted before the pattern is parsed.
    while let Some(c) = cursor.take() {
        match c {
            '\\' => drop(cursor.take()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && cursor.peek() != Some('?') => count += 1,
            // `(?<=` and `(?<!` look behind. Every other `(?<` names a group that captures.
            '(' if !in_class && cursor.look(1) == Some('<') && !matches!(cursor.look(2), Some('=' | '!')) => {
                cursor.at += 2;
                count += 1;
                names.extend(cursor.name().ok().map(|name| (name, count)));
            }
            _ => {}
        }
    }
    (count, names)
}

impl JsParser {
    pub(super) fn error_here(&self, message: impl Into<String>) -> JsRegexError {
        self.cursor.error_at(self.cursor.at, message)
    }

    /// Builds a position with a member of `set`, in any case if the flags say so.
    pub(super) fn build_unit(&self, set: UnitSet) -> JsPart {
        JsPart::Unit(self.apply_case(set))
    }

    pub(super) fn apply_case(&self, set: UnitSet) -> UnitSet {
        if self.flags.ignore_case { canon::close_over_case(&set) } else { set }
    }

    fn parse_alternatives(&mut self) -> Result<JsPart, JsRegexError> {
        let mut parts = vec![self.parse_sequence()?];
        while self.cursor.eat("|") {
            parts.push(self.parse_sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { JsPart::Alternatives(parts) })
    }

    fn parse_sequence(&mut self) -> Result<JsPart, JsRegexError> {
        let mut parts = Vec::new();
        while let Some(c) = self.cursor.peek().filter(|c| !matches!(c, '|' | ')')) {
            // The groups that open within a term are those that a quantifier behind it resets in each round.
            let opened = self.opened;
            let part = self.parse_term(c)?;
            parts.push(if part.is_repeatable() { self.parse_repeat(part, opened)? } else { part });
        }
        Ok(JsPart::Sequence(parts))
    }

    fn parse_term(&mut self, c: char) -> Result<JsPart, JsRegexError> {
        // Before the characters: `\b` begins like an escape and `^` like a literal, and neither can be repeated.
        if let Some(assertion) = self.parse_assertion() {
            return Ok(JsPart::Assertion(assertion));
        }
        match c {
            '(' => return self.parse_group(),
            '*' | '+' | '?' => return Err(self.nothing_to_repeat()),
            '{' => self.refuse_count()?,
            _ => {}
        }
        match c {
            '[' => self.parse_class(),
            '\\' => self.parse_escape(),
            '.' => Ok(self.parse_dot()),
            _ => {
                let unit = self.cursor.take_unit().unwrap_or_default();
                Ok(self.build_unit(UnitSet::from_unit(unit)))
            }
        }
    }

    fn parse_dot(&mut self) -> JsPart {
        self.cursor.at += 1;
        JsPart::Unit(if self.flags.dot_all { UnitSet::all_units() } else { UnitSet::non_line_ends() })
    }

    /// A brace that begins a count has nothing before it to repeat here; any other is a character.
    fn refuse_count(&mut self) -> Result<(), JsRegexError> {
        let start = self.cursor.at;
        // JavaScript takes `{` for a character unless it begins a whole count. The count is parsed on trial, and the
        // cursor goes back.
        let count = self.parse_count();
        self.cursor.at = start;
        if count.is_some() { Err(self.nothing_to_repeat()) } else { Ok(()) }
    }

    fn nothing_to_repeat(&self) -> JsRegexError {
        let message = match (self.cursor.behind(), self.cursor.peek()) {
            (Some('*' | '+' | '?' | '}'), Some('+')) => {
                "nothing to repeat: JavaScript has no possessive quantifiers, leave the `+` away"
            }
            (_, Some('{')) => "nothing to repeat before this count: write `\\{` for the character",
            _ => "nothing to repeat before this quantifier: put a backslash before it for the character",
        };
        self.error_here(message)
    }

    fn parse_assertion(&mut self) -> Option<JsAssertion> {
        let multiline = self.flags.multiline;
        let found = [
            ("^", if multiline { JsAssertion::LineStart } else { JsAssertion::Start }),
            ("$", if multiline { JsAssertion::LineEnd } else { JsAssertion::End }),
            ("\\b", JsAssertion::WordBoundary),
            ("\\B", JsAssertion::NoWordBoundary),
        ];
        found.into_iter().find(|(text, _)| self.cursor.eat(text)).map(|(_, assertion)| assertion)
    }

    fn parse_group(&mut self) -> Result<JsPart, JsRegexError> {
        let start = self.cursor.at;
        for (text, behind, negative) in
            [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)]
        {
            if self.cursor.eat(text) {
                let body = Box::new(self.parse_group_body(start)?);
                return Ok(JsPart::Look(JsLook { body, behind, negative }));
            }
        }
        if self.cursor.eat("(?:") {
            return self.parse_group_body(start);
        }
        self.parse_group_head(start)?;
        self.opened += 1;
        let index = self.opened;
        let body = self.parse_group_body(start)?;
        Ok(JsPart::Capture(index, Box::new(body)))
    }

    /// The head of a group that captures: `(` or `(?<name>`.
    fn parse_group_head(&mut self, start: usize) -> Result<(), JsRegexError> {
        if self.cursor.eat("(?<") {
            let name = self.cursor.name()?;
            // The names of later groups are known as well, from the count before: only one that has been opened is a
            // second one.
            let again = self.names.iter().any(|(other, group)| *other == name && *group <= self.opened);
            let message = format!("two groups are named `{name}`: rename one");
            return if again { Err(self.cursor.error_at(start, message)) } else { Ok(()) };
        }
        if self.cursor.eat("(?") {
            return Err(self.cursor.error_at(start, self.explain_unknown_group()));
        }
        self.cursor.at += 1;
        Ok(())
    }

    fn explain_unknown_group(&self) -> &'static str {
        // What follows `(?` shows which other language the pattern was written in.
        match self.cursor.peek() {
            Some('P') => "JavaScript has no `(?P`: write `(?<name>...)`, and `\\k<name>` for its text",
            Some('>') => "JavaScript has no atomic groups: write `(?:...)`",
            Some('i' | 'm' | 's' | '-') => {
                "JavaScript has no flags inside a pattern: set them for the whole pattern, or `(?i)` first of all"
            }
            _ => {
                "`(?` begins no group of JavaScript: it has `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` and `(?<!`"
            }
        }
    }

    /// Parses the content of a group, and its `)`.
    fn parse_group_body(&mut self, start: usize) -> Result<JsPart, JsRegexError> {
        // The parser calls itself for each group: the limit protects the stack.
        if self.depth == MAX_DEPTH {
            let message = format!("groups are nested deeper than {MAX_DEPTH}: simplify the pattern");
            return Err(self.cursor.error_at(start, message));
        }
        self.depth += 1;
        let body = self.parse_alternatives()?;
        self.depth -= 1;
        if !self.cursor.eat(")") {
            let message = "this group is not closed: add `)`, or write `\\(` for the character";
            return Err(self.cursor.error_at(start, message));
        }
        Ok(body)
    }

    fn parse_repeat(&mut self, part: JsPart, opened: usize) -> Result<JsPart, JsRegexError> {
        let start = self.cursor.at;
        let Some((min, max)) = self.parse_quantifier() else { return Ok(part) };
        if max.is_some_and(|max| max < min) {
            let message = "the numbers of this count are out of order: the smaller one comes first";
            return Err(self.cursor.error_at(start, message));
        }
        let greedy = !self.cursor.eat("?");
        // The groups that were opened since the part began are reset in each round.
        let groups = opened + 1..self.opened + 1;
        Ok(JsPart::Repeat(JsRepeat { body: Box::new(part), min, max, greedy, groups }))
    }

    fn parse_quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let bounds = match self.cursor.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => return self.parse_count(),
        };
        self.cursor.at += 1;
        Some(bounds)
    }

    /// `{3}`, `{3,}` or `{3,5}`. Any other brace is left where it stands.
    fn parse_count(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.cursor.at;
        let bounds = self.parse_bounds();
        if bounds.is_none() {
            self.cursor.at = start;
        }
        bounds
    }

    fn parse_bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let cursor = &mut self.cursor;
        let min = cursor.eat("{").then(|| cursor.number())??;
        let max = if cursor.eat(",") { cursor.number() } else { Some(min) };
        cursor.eat("}").then_some((min, max))
    }
}
