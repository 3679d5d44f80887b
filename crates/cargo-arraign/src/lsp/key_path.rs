//! The keys around the cursor, found by indentation: the text is rarely valid YAML while somebody writes.

/// The keys of the mappings that contain the byte `offset` of `text`, the outermost first.
pub(super) fn find_key_path(text: &str, offset: usize) -> Vec<String> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..offset];
    let mut keys = find_keys_in_line(line);
    let mut indent = match keys.first() {
        Some(_) => content_indent(line),
        // The cursor is at a key, or at an item of a list.
        None => line.len() - line.trim_start().len() + usize::from(line.trim_start().starts_with('-')),
    };
    keys.reverse();
    // Upwards, each line that is indented less than all below it is a key around the cursor.
    for above in text[..start].lines().rev().filter(|line| !is_blank(line)) {
        let own = content_indent(above);
        if own >= indent {
            continue;
        }
        if let Some(key) = first_key(above) {
            keys.push(key.to_owned());
        }
        indent = own;
        if indent == 0 {
            break;
        }
    }
    keys.reverse();
    keys
}

/// Returns the text from the beginning of the value or key at the cursor.
pub(super) fn find_word_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind(|c: char| c.is_whitespace() || "[]{},\"'".contains(c)).map_or(0, |at| at + 1)
}

fn is_blank(line: &str) -> bool {
    let content = line.trim_start();
    content.is_empty() || content.starts_with('#')
}

/// The column of a line's first key: that of `id` in `  - id: a`.
fn content_indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}

fn first_key(line: &str) -> Option<&str> {
    let content = line.trim_start_matches([' ', '-', '{']);
    let (key, rest) = content.split_once(':')?;
    // A colon without a blank behind it belongs to a value, such as a URL.
    let is_key = (rest.is_empty() || rest.starts_with(' ')) && !key.contains(['[', '{', ',']);
    is_key.then(|| key.trim_matches(['"', '\'']))
}

/// The keys that are open at the end of a part of a line: `expect: [{tool_input: {tool: get, path` has three.
fn find_keys_in_line(line: &str) -> Vec<String> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut depth = 0_usize;
    let mut word_start = 0;
    for (at, c) in line.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => {
                open.retain(|(own, _)| *own < depth);
                depth = depth.saturating_sub(1);
            }
            // In a flow mapping, a comma ends the value of the last key. In a list, the key of the list stays open.
            ',' => open.retain(|(own, _)| *own < depth || line_is_list(line, at)),
            ':' if line[at + 1..].is_empty() || line[at + 1..].starts_with(' ') => {
                let key = line[word_start..at].trim_matches(['"', '\'', ' ', '-']).to_owned();
                open.retain(|(own, _)| *own < depth);
                open.push((depth, key));
            }
            _ => continue,
        }
        word_start = at + 1;
    }
    open.into_iter().map(|(_, key)| key).collect()
}

/// Whether the innermost bracket that is open at `at` is that of a list.
fn line_is_list(line: &str, at: usize) -> bool {
    // Backwards from the cursor: a bracket that is closed before it is skipped together with its opening.
    let mut closed = 0;
    for c in line[..at].chars().rev() {
        match c {
            ']' | '}' => closed += 1,
            '[' | '{' if closed > 0 => closed -= 1,
            '[' => return true,
            '{' => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_at(text: &str) -> Vec<String> {
        let offset = text.find('|').expect("a cursor");
        find_key_path(&text.replace('|', ""), offset)
    }

    #[test]
    fn the_keys_around_the_cursor_are_found_in_unfinished_text() {
        let suite = "tests:\n  - id: a\n    trace: x.json\n    expect:\n";
        assert_eq!(
            path_at(&format!("{suite}      - required_tools: [a, |")),
            ["tests", "expect", "required_tools"]
        );
        assert_eq!(path_at(&format!("{suite}      - |")), ["tests", "expect"]);
        assert_eq!(
            path_at(&format!("{suite}      - required_tools:\n          - |")),
            ["tests", "expect", "required_tools"]
        );
        let input = format!("{suite}      - tool_input: {{tool: get, type: jsonpath, path: $.|");
        assert_eq!(path_at(&input), ["tests", "expect", "tool_input", "path"]);
        let block = format!("{suite}      - call:\n          tool: get\n          args:\n            |");
        assert_eq!(path_at(&block), ["tests", "expect", "call", "args"]);
        assert_eq!(
            path_at("metric: sequence_valid\nrules:\n  - {type: before, first: |"),
            ["rules", "first"]
        );
        assert_eq!(path_at("expect: [{tool_called: {tool: x}}, {not_called: |"), ["expect", "not_called"]);
    }
}
