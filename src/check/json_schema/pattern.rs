//! The patterns of JSON Schema that need no validator.
//!
//! A pattern is a regular expression of JavaScript with the flag `u`: it reads characters, `\d` and `\w` are ASCII, `\s` is
//! JavaScript's white space, and a construct without a meaning is an error. So it is no [`JsRegex`], which reads UTF-16 units as
//! JavaScript does without `u`: there `.` is half an emoji, and `\p{L}` the text `p{L}`.
//!
//! [`PlainPattern`] translates a pattern for the linear-time engine in the way of the validator, which differs from JavaScript
//! in two points: `.` excludes only a line feed, and `\b` knows the letters of all languages. What that engine cannot run, or
//! would read in another way, is [`NotPlain::Beyond`]: look-around, back-references, named groups, flags, and some rare escapes.
//!
//! [`JsRegex`]: crate::pattern::JsRegex

use std::iter::Peekable;
use std::str::Chars;

use crate::pattern::TextPattern;

/// A pattern without look-around and back-references.
#[derive(Debug)]
pub(super) struct PlainPattern(TextPattern);

/// Why a text is no [`PlainPattern`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotPlain {
    /// It is no pattern at all.
    Invalid,
    /// It has a construct that only the validator knows.
    Beyond,
}

impl PlainPattern {
    pub(super) fn compile(pattern: &str) -> Result<Self, NotPlain> {
        let mut translator =
            Translator { rest: pattern.chars().peekable(), out: String::new(), previous: Previous::Nothing };
        translator.translate_all()?;
        TextPattern::new(&translator.out).map(Self).map_err(|_| NotPlain::Invalid)
    }

    /// Whether the pattern is found in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

const DIGITS: &str = "[0-9]";
const NO_DIGITS: &str = "[^0-9]";
const WORD_CHARACTERS: &str = "[A-Za-z0-9_]";
const NO_WORD_CHARACTERS: &str = "[^A-Za-z0-9_]";
const SPACES: &str =
    r"[\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]";
const NO_SPACES: &str =
    r"[^\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}]";

/// The part before the cursor, which decides whether a quantifier may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// The start of the pattern, of a group, or of an alternative.
    Nothing,
    /// `^`, `$`, `\b`, `\B`.
    Assertion,
    Quantifier,
    Atom,
}

/// What an escape stands for.
enum Escaped {
    Character(char),
    /// A set of characters, as a class of the linear-time engine.
    Set(String),
}

/// Reads a pattern of JavaScript, and writes it for the linear-time engine.
struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    previous: Previous,
}

impl Translator<'_> {
    fn translate_all(&mut self) -> Result<(), NotPlain> {
        let mut open_groups = 0_usize;
        while let Some(c) = self.rest.next() {
            match c {
                '|' => self.push("|", Previous::Nothing),
                '(' => {
                    open_groups += 1;
                    self.translate_group_start()?;
                }
                ')' => {
                    open_groups = open_groups.checked_sub(1).ok_or(NotPlain::Invalid)?;
                    self.push(")", Previous::Atom);
                }
                '*' => self.translate_quantifier("*")?,
                '+' => self.translate_quantifier("+")?,
                '?' => self.translate_quantifier("?")?,
                '{' => {
                    let counts = self.read_counts()?;
                    self.translate_quantifier(&counts)?;
                }
                '^' => self.push("^", Previous::Assertion),
                '$' => self.push("$", Previous::Assertion),
                '.' => self.push(".", Previous::Atom),
                '[' => self.translate_class()?,
                '\\' => self.translate_escape()?,
                c => self.push_character(c),
            }
        }
        if open_groups == 0 { Ok(()) } else { Err(NotPlain::Invalid) }
    }

    fn push(&mut self, text: &str, previous: Previous) {
        self.out.push_str(text);
        self.previous = previous;
    }

    fn push_character(&mut self, c: char) {
        let escaped = escape_character(c);
        self.push(&escaped, Previous::Atom);
    }

    fn translate_group_start(&mut self) -> Result<(), NotPlain> {
        if self.rest.next_if_eq(&'?').is_none() {
            self.push("(", Previous::Nothing);
            return Ok(());
        }
        // The other groups are look-around, names and flags.
        self.rest.next_if_eq(&':').ok_or(NotPlain::Beyond)?;
        self.push("(?:", Previous::Nothing);
        Ok(())
    }

    fn translate_quantifier(&mut self, quantifier: &str) -> Result<(), NotPlain> {
        match self.previous {
            Previous::Atom => {}
            Previous::Nothing => return Err(NotPlain::Invalid),
            // No pattern of JavaScript, but the validator repeats an assertion, and a `+` more never gives back.
            Previous::Assertion | Previous::Quantifier => return Err(NotPlain::Beyond),
        }
        self.push(quantifier, Previous::Quantifier);
        if self.rest.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        Ok(())
    }

    /// Reads the counts behind `{`: `{2}`, `{2,}`, `{2,3}`.
    fn read_counts(&mut self) -> Result<String, NotPlain> {
        let mut counts = String::from("{");
        self.read_digits(&mut counts)?;
        if self.rest.next_if_eq(&',').is_some() {
            counts.push(',');
            if self.rest.peek() != Some(&'}') {
                self.read_digits(&mut counts)?;
            }
        }
        self.rest.next_if_eq(&'}').ok_or(NotPlain::Invalid)?;
        counts.push('}');
        Ok(counts)
    }

    fn read_digits(&mut self, digits: &mut String) -> Result<(), NotPlain> {
        let before = digits.len();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        if digits.len() == before { Err(NotPlain::Invalid) } else { Ok(()) }
    }

    fn translate_escape(&mut self) -> Result<(), NotPlain> {
        if self.rest.next_if_eq(&'b').is_some() {
            self.push(r"\b", Previous::Assertion);
            return Ok(());
        }
        if self.rest.next_if_eq(&'B').is_some() {
            self.push(r"\B", Previous::Assertion);
            return Ok(());
        }
        match self.read_escape()? {
            Escaped::Character(c) => self.push_character(c),
            Escaped::Set(set) => self.push(&set, Previous::Atom),
        }
        Ok(())
    }

    /// Reads what follows a backslash, inside and outside of a class.
    fn read_escape(&mut self) -> Result<Escaped, NotPlain> {
        let set = |set: &str| Ok(Escaped::Set(set.to_owned()));
        match self.rest.next().ok_or(NotPlain::Invalid)? {
            'd' => set(DIGITS),
            'D' => set(NO_DIGITS),
            'w' => set(WORD_CHARACTERS),
            'W' => set(NO_WORD_CHARACTERS),
            's' => set(SPACES),
            'S' => set(NO_SPACES),
            't' => Ok(Escaped::Character('\t')),
            'n' => Ok(Escaped::Character('\n')),
            'r' => Ok(Escaped::Character('\r')),
            'f' => Ok(Escaped::Character('\u{c}')),
            'v' => Ok(Escaped::Character('\u{b}')),
            'x' => self.read_code(2).map(Escaped::Character),
            // Half of a surrogate pair, or a code in braces.
            'u' => self.read_code(4).map(Escaped::Character).map_err(|_| NotPlain::Beyond),
            p @ ('p' | 'P') => self.read_property(p).map(Escaped::Set),
            '<' | '>' => Err(NotPlain::Beyond),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(Escaped::Character(c)),
            // A back-reference, a control character, a name, or an escape of another dialect, as `\<` is.
            _ => Err(NotPlain::Beyond),
        }
    }

    /// Reads a character that is written as so many hexadecimal digits.
    fn read_code(&mut self, length: usize) -> Result<char, NotPlain> {
        let mut code = 0;
        for _ in 0..length {
            let digit = self.rest.next().and_then(|c| c.to_digit(16)).ok_or(NotPlain::Invalid)?;
            code = code * 16 + digit;
        }
        char::from_u32(code).ok_or(NotPlain::Invalid)
    }

    /// Reads a property of Unicode: `\p{L}`, `\P{Script=Greek}`.
    fn read_property(&mut self, kind: char) -> Result<String, NotPlain> {
        self.rest.next_if_eq(&'{').ok_or(NotPlain::Beyond)?;
        let mut property = format!("\\{kind}{{");
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '=')) {
            property.push(c);
        }
        self.rest.next_if_eq(&'}').ok_or(NotPlain::Beyond)?;
        property.push('}');
        Ok(property)
    }

    /// Translates a class, whose bracket is read. The engine knows operators inside of classes, so each character is escaped.
    fn translate_class(&mut self) -> Result<(), NotPlain> {
        self.push("[", Previous::Atom);
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        // An empty class matches nothing in JavaScript. The engine would read the bracket as a member.
        if self.rest.peek() == Some(&']') {
            return Err(NotPlain::Beyond);
        }
        loop {
            let first = match self.read_class_member()? {
                None => break,
                Some(Escaped::Character(c)) => c,
                Some(Escaped::Set(set)) => {
                    self.out.push_str(&set);
                    // A set is no end of a range: JavaScript refuses one, except for a hyphen at the end.
                    if self.rest.next_if_eq(&'-').is_some() {
                        if self.rest.peek() != Some(&']') {
                            return Err(NotPlain::Beyond);
                        }
                        self.out.push_str(r"\-");
                    }
                    continue;
                }
            };
            self.out.push_str(&escape_character(first));
            if self.rest.next_if_eq(&'-').is_none() {
                continue;
            }
            // A hyphen at the end is a member.
            if self.rest.peek() == Some(&']') {
                self.out.push_str(r"\-");
                continue;
            }
            match self.read_class_member()?.ok_or(NotPlain::Invalid)? {
                Escaped::Character(last) if first <= last => {
                    self.out.push('-');
                    self.out.push_str(&escape_character(last));
                }
                Escaped::Character(_) => return Err(NotPlain::Invalid),
                Escaped::Set(_) => return Err(NotPlain::Beyond),
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// Reads the next member of a class; `None` at the end of the class.
    fn read_class_member(&mut self) -> Result<Option<Escaped>, NotPlain> {
        match self.rest.next().ok_or(NotPlain::Invalid)? {
            ']' => Ok(None),
            '\\' => self.read_escape().map(Some),
            c => Ok(Some(Escaped::Character(c))),
        }
    }
}

/// Writes a character as the linear-time engine reads it everywhere.
fn escape_character(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) }
}
