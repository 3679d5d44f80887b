//! The words and operators of a shell line: quotes, escapes, substitutions, redirections, here-documents.
//!
//! Nothing is expanded. A malformed line is read as far as possible, because a trace may have cut it.

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without its quotes.
    Word(String),
    /// `;`, `&`, a line break, a bracket: what follows runs anyway.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`, `|&`.
    Pipe,
    /// `>`, `>>`, `&>`: the word after it names a file that the output goes to.
    Write,
    /// `<`, `2>`, `>&1`: the word after it is no argument.
    Other,
    /// `<<`: the word after it ends the text that begins on the next line.
    HereDocument,
    /// `<<<`: the word after it is the text.
    HereText,
    /// The text of a here-document.
    Text(String),
}

/// The tokens of `line`.
pub(super) fn tokens(line: &str) -> Vec<Token> {
    let mut lexer = Lexer { line, at: 0, tokens: Vec::new(), waiting: Vec::new(), closing: false };
    while lexer.at < line.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'l> {
    line: &'l str,
    at: usize,
    tokens: Vec<Token>,
    /// The words that end the here-documents that begin on the next line.
    waiting: Vec<String>,
    /// The next word ends a here-document.
    closing: bool,
}

impl<'l> Lexer<'l> {
    fn rest(&self) -> &'l str {
        &self.line[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.line.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' => self.at += 1,
            // A backslash before a line break joins the two lines.
            b'\\' if self.byte(1) == b'\n' => self.at += 2,
            b'\n' => self.line_break(),
            b'#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            // `<(command)` is an argument and no redirection.
            b'<' | b'>' if self.byte(1) == b'(' => self.word(),
            b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => self.operator(),
            _ => self.word(),
        }
    }

    fn operator(&mut self) {
        const OPERATORS: &[(&str, Token)] = &[
            ("&>>", Token::Write),
            ("&>", Token::Write),
            ("&&", Token::And),
            ("||", Token::Or),
            ("|&", Token::Pipe),
            ("|", Token::Pipe),
            ("<<<", Token::HereText),
            ("<<-", Token::HereDocument),
            ("<<", Token::HereDocument),
            ("<&", Token::Other),
            ("<", Token::Other),
            (">>", Token::Write),
            (">|", Token::Write),
            (">&", Token::Other),
            (">", Token::Write),
        ];
        // The table is ordered: a longer operator comes before its own beginning, so the first that fits is the right
        // one.
        let found = OPERATORS.iter().find(|(text, _)| self.rest().starts_with(text));
        let (length, token) = found.map_or((1, Token::Then), |(text, token)| (text.len(), token.clone()));
        self.closing = token == Token::HereDocument;
        self.at += length;
        self.tokens.push(token);
    }

    fn line_break(&mut self) {
        self.at += 1;
        // The texts of all here-documents of a line begin on the next line, one after the other.
        for end in std::mem::take(&mut self.waiting) {
            let text = self.here_document(&end);
            self.tokens.push(Token::Text(text));
        }
        self.tokens.push(Token::Then);
    }

    /// The lines up to the one that is `end`.
    fn here_document(&mut self, end: &str) -> String {
        let start = self.at;
        while self.at < self.line.len() {
            let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
            let before = self.at;
            self.at += line.len();
            // `<<-` allows tabs before the end word. They are accepted for `<<` as well.
            if line.trim_end_matches(['\n', '\r']).trim_start_matches('\t') == end {
                return self.line[start..before].to_owned();
            }
        }
        self.line[start..].to_owned()
    }

    fn word(&mut self) {
        // A word is made of pieces without a blank between them: `a"b c"$(d)` is one word.
        let mut word = String::new();
        let start = self.at;
        while self.at < self.line.len() && !self.ends_word() {
            self.piece(&mut word);
        }
        let is_number =
            // `2>` redirects a stream: a number directly before the sign is no argument.
            self.at > start && self.line[start..self.at].bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.byte(0), b'<' | b'>') {
            return self.numbered_redirection(&word);
        }
        if std::mem::take(&mut self.closing) {
            self.waiting.push(word.clone());
        }
        self.tokens.push(Token::Word(word));
    }

    /// `2>log`: only what is written by 1 is output.
    fn numbered_redirection(&mut self, number: &str) {
        self.operator();
        // Errors (2) and other streams are no content of the file.
        if number != "1"
            && let Some(token @ Token::Write) = self.tokens.last_mut()
        {
            *token = Token::Other;
        }
    }

    fn ends_word(&self) -> bool {
        match self.byte(0) {
            b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => true,
            b'<' | b'>' => self.byte(1) != b'(',
            _ => false,
        }
    }

    /// Reads one character, or a quoted or substituted part.
    fn piece(&mut self, word: &mut String) {
        match self.byte(0) {
            // A backslash at the end of a line continues the word on the next line.
            b'\\' if self.byte(1) == b'\n' => self.at += 2,
            // A path of Windows keeps its backslashes.
            b'\\' if self.is_separator(word) => self.character(word),
            b'\\' => {
                self.at += 1;
                self.character(word);
            }
            b'\'' => self.single_quoted(word),
            b'"' => self.double_quoted(word),
            b'$' if self.byte(1) == b'\'' => {
                self.at += 1;
                self.single_quoted(word);
            }
            b'$' | b'<' | b'>' if self.byte(1) == b'(' => self.substitution(word),
            b'`' => self.backticks(word),
            _ => self.character(word),
        }
    }

    /// `src\lib.rs`: no shell needs a letter within a word escaped; the shells of Windows write paths so.
    fn is_separator(&self, word: &str) -> bool {
        !word.is_empty() && (self.byte(1).is_ascii_alphanumeric() || self.byte(1) == b'_')
    }

    fn character(&mut self, word: &mut String) {
        if let Some(c) = self.rest().chars().next() {
            word.push(c);
            self.at += c.len_utf8();
        }
    }

    fn single_quoted(&mut self, word: &mut String) {
        self.at += 1;
        let length = self.rest().find('\'').unwrap_or(self.rest().len());
        word.push_str(&self.rest()[..length]);
        self.at = (self.at + length + 1).min(self.line.len());
    }

    fn double_quoted(&mut self, word: &mut String) {
        self.at += 1;
        while self.at < self.line.len() {
            match (self.byte(0), self.byte(1)) {
                (b'"', _) => {
                    self.at += 1;
                    return;
                }
                // Within double quotes a backslash escapes only these.
                (b'\\', b'"' | b'\\' | b'$' | b'`') => {
                    self.at += 1;
                    self.character(word);
                }
                (b'\\', b'\n') => self.at += 2,
                (b'$', b'(') => self.substitution(word),
                _ => self.character(word),
            }
        }
    }

    /// Appends `$(...)` as it is written, up to its own closing bracket.
    fn substitution(&mut self, word: &mut String) {
        let start = self.at;
        // Single quotes are skipped as wholes, because a bracket in them does not count: `$(echo ')')`.
        let mut depth = 0_usize;
        while self.at < self.line.len() {
            match self.byte(0) {
                b'\\' => self.character(&mut String::new()),
                b'\'' => {
                    self.single_quoted(&mut String::new());
                    continue;
                }
                b'(' => depth += 1,
                b')' if depth == 1 => break,
                b')' => depth -= 1,
                _ => {}
            }
            self.character(&mut String::new());
        }
        self.at = (self.at + 1).min(self.line.len());
        word.push_str(&self.line[start..self.at]);
    }

    fn backticks(&mut self, word: &mut String) {
        let start = self.at;
        self.at += 1;
        self.at += self.rest().find('`').map_or(self.rest().len(), |length| length + 1);
        word.push_str(&self.line[start..self.at]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        let words = tokens(line).into_iter().filter_map(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        });
        words.collect()
    }

    #[test]
    fn quotes_and_escapes_are_taken_off() {
        assert_eq!(
            words(r#"a 'b c' "d \"e\" $(f "g")" h\ i $'j' k`l m`"#),
            ["a", "b c", "d \"e\" $(f \"g\")", "h i", "j", "k`l m`"]
        );
        assert_eq!(words("a # b\nc"), ["a", "c"]);
        assert_eq!(words(r"type src\lib.rs C:\a\_b x\*y"), ["type", r"src\lib.rs", r"C:\a\_b", "x*y"]);
    }

    #[test]
    fn a_here_document_is_one_text() {
        let found = tokens("cat <<'EOF' > a.txt\none; two\nEOF\nls");
        assert!(found.contains(&Token::Text("one; two\n".to_owned())), "{found:?}");
        assert_eq!(words("cat <<'EOF' > a.txt\none; two\nEOF\nls"), ["cat", "EOF", "a.txt", "ls"]);
    }

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes() {
        for line in
            ["a 'b", "a \"b", "a $(b", "a `b", "a \\", "a <<EOF", "a <<EOF\nb", "a >", "$(", "2>", "\\"]
        {
            tokens(line);
        }
        assert_eq!(words("a 'ü"), ["a", "ü"]);
    }
}
