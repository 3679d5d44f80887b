//! The code in a text: fenced blocks and inline code, as Markdown writes them.
//!
//! A tag or a call that is quoted as code is an example, and means nothing.

use std::ops::Range;

/// A fenced block of code, with both its fences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock<'t> {
    /// The text behind the opening fence, such as `json`.
    pub info: &'t str,
    /// The lines between the fences.
    pub content: Range<usize>,
    /// The block with its fences.
    pub whole: Range<usize>,
}

/// Finds the fenced blocks of a text, which are between lines of three or more backticks or tildes. A fence that is never
/// closed opens no block.
pub fn find_code_blocks(text: &str) -> Vec<CodeBlock<'_>> {
    // A fence closes with at least as many marks of the same kind and nothing else on its line, as in Markdown.
    let mut blocks = Vec::new();
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match (open, parse_fence(line)) {
            (None, Some((mark, info))) => open = Some((mark, info, start, at)),
            (Some((opened, info, from, inside)), Some((mark, ""))) if mark.starts_with(opened) => {
                blocks.push(CodeBlock { info, content: inside..start, whole: from..at });
                open = None;
            }
            _ => {}
        }
    }
    blocks
}

/// Parses the fence that a line is: its marks, and the text behind them.
fn parse_fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(first);
    let mark = &line[..line.len() - rest.len()];
    // A line such as "```x```" is inline code.
    let is_inline = first == '`' && rest.contains('`');
    (mark.len() >= 3 && !is_inline).then_some((mark, rest.trim()))
}

/// Finds the parts of a text that are code: fenced blocks, and inline code within a line, in order.
pub(crate) fn find_code(text: &str) -> Vec<Range<usize>> {
    let mut code = Vec::new();
    let mut at = 0;
    for block in find_code_blocks(text) {
        add_inline_code(text, at..block.whole.start, &mut code);
        at = block.whole.end;
        code.push(block.whole);
    }
    add_inline_code(text, at..text.len(), &mut code);
    code
}

/// Whether a byte is inside of one of these parts of a text, which are in order.
pub(crate) fn is_inside(parts: &[Range<usize>], at: usize) -> bool {
    let next = parts.partition_point(|part| part.end <= at);
    parts.get(next).is_some_and(|part| part.start <= at)
}

/// Adds the inline code in a part of a text: a run of backticks, and the next run of the same length on its line.
fn add_inline_code(text: &str, part: Range<usize>, code: &mut Vec<Range<usize>>) {
    let mut at = part.start;
    for line in text[part].split_inclusive('\n') {
        let mut from = 0;
        while let Some(run) = find_backticks(line, from) {
            let mut close = find_backticks(line, run.end);
            while let Some(other) = close.clone().filter(|other| other.len() != run.len()) {
                close = find_backticks(line, other.end);
            }
            // Backticks that nothing closes are text.
            from = match close {
                Some(close) => {
                    code.push(at + run.start..at + close.end);
                    close.end
                }
                None => run.end,
            };
        }
        at += line.len();
    }
}

/// Finds the next run of backticks in a line.
fn find_backticks(line: &str, from: usize) -> Option<Range<usize>> {
    let start = from + line[from..].find('`')?;
    let rest = line[start..].trim_start_matches('`');
    Some(start..line.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_fences_and_backticks_enclose() {
        let code = |text: &'static str| -> Vec<&'static str> {
            find_code(text).into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(code("a `b` c ``d ` e`` f"), ["`b`", "``d ` e``"]);
        assert_eq!(code("a\n```json\n{`}\n```\n`b`"), ["```json\n{`}\n```\n", "`b`"]);
        assert_eq!(code("```a``` b"), ["```a```"]);
        for text in ["", "a ` b\nc ` d", "```\nnever closed", "a `` b `"] {
            assert_eq!(code(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_block_knows_its_language() {
        let text = "```json\n1\n```\n~~~~ Rust x\n2\n~~~\n~~~~\n";
        let blocks = find_code_blocks(text);
        let shown: Vec<(&str, &str)> =
            blocks.iter().map(|block| (block.info, &text[block.content.clone()])).collect();
        assert_eq!(shown, [("json", "1\n"), ("Rust x", "2\n~~~\n")]);
    }
}
