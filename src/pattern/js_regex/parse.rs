//! Reads a pattern by the grammar that engines follow without the flag `u` (ECMAScript, Annex B).
//!
//! It is lenient where engines are: a brace that begins no count, a closing bracket, an escape that means nothing
//! stand for themselves.

use super::cursor::Cursor;
use super::syntax::{Assertion, Look, Part, Pattern, Repeat};
use super::units::Units;
use super::{Flags, JsRegexError, canon};

/// Groups nested deeper are refused: no reader follows them.
const MAX_DEPTH: usize = 100;

pub(super) struct Parser {
    pub(super) cursor: Cursor,
    pub(super) flags: Flags,
    /// All groups of the pattern: an escape such as `\2` means one of them only if there are so many.
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
    opened: usize,
    depth: usize,
}

/// Whether a quantifier may follow.
#[derive(PartialEq, Eq)]
enum Repeatable {
    Yes,
    No,
}

pub(super) fn parse(pattern: &str, flags: Flags) -> Result<Pattern, JsRegexError> {
    let cursor = Cursor::new(pattern);
    let (groups, names) = groups(cursor.clone());
    let mut parser = Parser { cursor, flags, groups, names, opened: 0, depth: 0 };
    let root = parser.alternatives()?;
    match parser.cursor.peek() {
        None => Ok(Pattern { root, groups, names: parser.names }),
        Some(_) => Err(parser.error("this `)` closes no group: write `\\)` for the character")),
    }
}

/// How many groups capture, and those with names. What is wrong with a name is said when the parser comes to it.
fn groups(mut cursor: Cursor) -> (usize, Vec<(String, usize)>) {
    let (mut count, mut names, mut in_class) = (0, Vec::new(), false);
    while let Some(c) = cursor.take() {
        match c {
            '\\' => drop(cursor.take()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && cursor.peek() != Some('?') => count += 1,
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

impl Parser {
    pub(super) fn error(&self, message: impl Into<String>) -> JsRegexError {
        self.cursor.error_at(self.cursor.at, message)
    }

    /// One position that holds a member of `set`, in any case where the flags say so.
    pub(super) fn unit(&self, set: Units) -> Part {
        Part::Unit(self.in_its_cases(set))
    }

    pub(super) fn in_its_cases(&self, set: Units) -> Units {
        if self.flags.ignore_case { canon::closed(&set) } else { set }
    }

    fn alternatives(&mut self) -> Result<Part, JsRegexError> {
        let mut parts = vec![self.sequence()?];
        while self.cursor.eat("|") {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Part::Alternatives(parts) })
    }

    fn sequence(&mut self) -> Result<Part, JsRegexError> {
        let mut parts = Vec::new();
        while let Some(c) = self.cursor.peek().filter(|c| !matches!(c, '|' | ')')) {
            let opened = self.opened;
            let (part, repeatable) = self.term(c)?;
            parts.push(if repeatable == Repeatable::Yes { self.repeated(part, opened)? } else { part });
        }
        Ok(Part::Sequence(parts))
    }

    fn term(&mut self, c: char) -> Result<(Part, Repeatable), JsRegexError> {
        if let Some(assertion) = self.assertion() {
            return Ok((Part::Assertion(assertion), Repeatable::No));
        }
        match c {
            '(' => return self.group(),
            '*' | '+' | '?' => return Err(self.nothing_to_repeat()),
            '{' => self.no_count()?,
            _ => {}
        }
        let part = match c {
            '[' => self.class()?,
            '\\' => self.escape()?,
            '.' => self.dot(),
            _ => {
                let unit = self.cursor.take_unit().unwrap_or_default();
                self.unit(Units::one(unit))
            }
        };
        Ok((part, Repeatable::Yes))
    }

    fn dot(&mut self) -> Part {
        self.cursor.at += 1;
        Part::Unit(if self.flags.dot_all { Units::any() } else { Units::inside_a_line() })
    }

    /// A brace that begins a count has nothing before it to repeat here; any other is a character.
    fn no_count(&mut self) -> Result<(), JsRegexError> {
        let start = self.cursor.at;
        let count = self.count();
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
        self.error(message)
    }

    fn assertion(&mut self) -> Option<Assertion> {
        let multiline = self.flags.multiline;
        let found = [
            ("^", if multiline { Assertion::LineStart } else { Assertion::Start }),
            ("$", if multiline { Assertion::LineEnd } else { Assertion::End }),
            ("\\b", Assertion::WordBoundary),
            ("\\B", Assertion::NoWordBoundary),
        ];
        found.into_iter().find(|(text, _)| self.cursor.eat(text)).map(|(_, assertion)| assertion)
    }

    fn group(&mut self) -> Result<(Part, Repeatable), JsRegexError> {
        let start = self.cursor.at;
        for (text, behind, negative) in
            [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)]
        {
            if self.cursor.eat(text) {
                let body = Box::new(self.body(start)?);
                let repeatable = if behind { Repeatable::No } else { Repeatable::Yes };
                return Ok((Part::Look(Look { body, behind, negative }), repeatable));
            }
        }
        if self.cursor.eat("(?:") {
            return Ok((self.body(start)?, Repeatable::Yes));
        }
        self.open(start)?;
        self.opened += 1;
        let index = self.opened;
        let body = self.body(start)?;
        Ok((Part::Capture(index, Box::new(body)), Repeatable::Yes))
    }

    /// The head of a group that captures: `(` or `(?<name>`.
    fn open(&mut self, start: usize) -> Result<(), JsRegexError> {
        if self.cursor.eat("(?<") {
            let name = self.cursor.name()?;
            let again = self.names.iter().any(|(other, group)| *other == name && *group <= self.opened);
            let message = format!("two groups are named `{name}`: rename one");
            return if again { Err(self.cursor.error_at(start, message)) } else { Ok(()) };
        }
        if self.cursor.eat("(?") {
            return Err(self.cursor.error_at(start, self.no_group()));
        }
        self.cursor.at += 1;
        Ok(())
    }

    fn no_group(&self) -> &'static str {
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

    /// What stands in a group, and its `)`.
    fn body(&mut self, start: usize) -> Result<Part, JsRegexError> {
        if self.depth == MAX_DEPTH {
            let message = format!("groups are nested deeper than {MAX_DEPTH}: simplify the pattern");
            return Err(self.cursor.error_at(start, message));
        }
        self.depth += 1;
        let body = self.alternatives()?;
        self.depth -= 1;
        if !self.cursor.eat(")") {
            let message = "this group is not closed: add `)`, or write `\\(` for the character";
            return Err(self.cursor.error_at(start, message));
        }
        Ok(body)
    }

    fn repeated(&mut self, part: Part, opened: usize) -> Result<Part, JsRegexError> {
        let start = self.cursor.at;
        let Some((min, max)) = self.quantifier() else { return Ok(part) };
        if max.is_some_and(|max| max < min) {
            let message = "the numbers of this count are out of order: the smaller one comes first";
            return Err(self.cursor.error_at(start, message));
        }
        let greedy = !self.cursor.eat("?");
        let groups = opened + 1..self.opened + 1;
        Ok(Part::Repeat(Repeat { body: Box::new(part), min, max, greedy, groups }))
    }

    fn quantifier(&mut self) -> Option<(u32, Option<u32>)> {
        let bounds = match self.cursor.peek()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => return self.count(),
        };
        self.cursor.at += 1;
        Some(bounds)
    }

    /// `{3}`, `{3,}` or `{3,5}`. Any other brace is left where it stands.
    fn count(&mut self) -> Option<(u32, Option<u32>)> {
        let start = self.cursor.at;
        let bounds = self.bounds();
        if bounds.is_none() {
            self.cursor.at = start;
        }
        bounds
    }

    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let cursor = &mut self.cursor;
        let min = cursor.eat("{").then(|| cursor.number())??;
        let max = if cursor.eat(",") { cursor.number() } else { Some(min) };
        cursor.eat("}").then_some((min, max))
    }
}
