//! Random patterns and texts, the same in every run.

/// A small generator of numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

/// Parts that are whole atoms, common and odd.
const ATOMS: &[&str] = &[
    "a", "b", "K", "k", "s", "S", "é", "É", "σ", "ς", "ſ", "\u{212A}", "😀", "1", "-", " ", ".", "\\d",
    "\\D", "\\w", "\\W", "\\s", "\\S", "[ab]", "[^a]", "[a-k]", "[A-K]", "[^]", "[]", "[\\w-]", "[\\d-b]",
    "[é-ÿ]", "[^\\s]", "[\\W]", "[^\\W]", "[😀]", "[^😀]", "\\ud83d", "\\ude00", "\\u0041", "\\x41", "\\1",
    "\\2", "\\3", "\\8", "\\0", "\\12", "\\101", "\\400", "\\cJ", "\\c", "\\c1", "[\\c]", "[\\c1]", "[\\c_]",
    "[\\b]", "]", "}", "{", "{,2}", "x{", "\\x4", "\\u004", "\\u{61}", "\\p{L}", "\\k", "\\k<n>", "\\-",
    "\\/", "\\_", "\\A", "\\z", "[\\-]", "[\\B]", "[\\k]", "\\K", "&&", "[a&&b]", "[[a]", "[a-]", "[-a]",
    "[b-a]", "[\\n-a]", "\n", "\\n", "[.]", "\u{2028}", "#", "~~",
];

const ASSERTIONS: &[&str] = &["^", "$", "\\b", "\\B"];
const OPENINGS: &[&str] =
    &["(", "(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<value>", "(?>", "(?P<n>"];
const QUANTIFIERS: &[&str] =
    &["*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{2,1}", "*?", "+?", "??", "{1,2}?", "*+", "{,1}"];
const CHARACTERS: &[char] = &[
    'a', 'a', 'b', 'A', 'B', 'k', 'K', 's', 'S', 'é', 'É', 'σ', 'Σ', 'ς', 'ſ', '\u{212A}', '😀', '😁', '1',
    '2', '_', '-', ' ', '\n', '\r', '\u{2028}', '\u{FEFF}', '\0', 'ÿ', 'Ÿ', 'µ', 'μ', 'ß', 'İ', 'c', '\\',
    'x', '{', '}', ']',
];

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("small")
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn text(&mut self) -> String {
        let length = self.below(9);
        (0..length).map(|_| self.pick(CHARACTERS)).collect()
    }

    pub(crate) fn flags(&mut self) -> String {
        let mut flags = "ims".to_owned();
        flags.retain(|_| self.below(2) == 0);
        flags
    }

    pub(crate) fn pattern(&mut self) -> String {
        let mut pattern = String::new();
        self.alternatives(&mut pattern, 3);
        pattern
    }

    fn alternatives(&mut self, out: &mut String, depth: usize) {
        for index in 0..=usize::from(self.below(4) == 0) {
            out.push_str(if index == 0 { "" } else { "|" });
            for _ in 0..self.below(4) {
                self.term(out, depth);
            }
        }
    }

    fn term(&mut self, out: &mut String, depth: usize) {
        match self.below(8) {
            0 => out.push_str(self.pick(ASSERTIONS)),
            1..=3 if depth > 0 => {
                out.push_str(self.pick(OPENINGS));
                self.alternatives(out, depth - 1);
                out.push(')');
            }
            4 => out.push_str(["a", "b"][self.below(2)]),
            5 => out.push_str(["\\1", "\\2", "(a)", "(?:(a)|b)"][self.below(4)]),
            _ => out.push_str(self.pick(ATOMS)),
        }
        if self.below(3) == 0 {
            out.push_str(self.pick(QUANTIFIERS));
        }
    }

    /// Any characters that mean something in a pattern, in any order.
    pub(crate) fn garbage(&mut self) -> String {
        let signs: Vec<char> = r"()[]{}*+?|^$\.-,:=!<>0123789abckuxpdDwWsSBn&~#/P😀é".chars().collect();
        let length = self.below(24);
        (0..length).map(|_| self.pick(&signs)).collect()
    }
}
