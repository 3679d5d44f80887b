//! Adds entries to the `expect` of a case in the text of its file. Text is inserted at places, so that comments, layout and
//! line breaks stay.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::{Document, Tree, Value, escape_token, render_flow};
use arraign::json::{Json, json};

use crate::yaml_writer::render_item;

/// A text to insert, and the byte before which it comes.
type Insertion = (usize, String);

/// Returns the text of `source` with entries added to the case at `case_at`: the first byte of the case, or of its id. The
/// error is a sentence.
pub(crate) fn add_entries(source: &Arc<Source>, case_at: usize, entries: &[Json]) -> Result<String, String> {
    let range = find_unit(source, case_at);
    let documents = parse_documents(source, range.clone())?;
    let found = documents.iter().enumerate().find_map(|(at, document)| {
        find_case(&document.root, case_at, String::new()).map(|(case, pointer)| (at, case, pointer))
    });
    let Some((at, case, pointer)) = found else {
        return Err("the case was not found in its file".to_owned());
    };
    let editor = ExpectEditor { text: source.text(), is_json: is_json(source.name()) };
    let mut insertions = editor.insert_entries(case, entries)?;
    insertions.sort_by_key(|(at, _)| *at);
    let breaks = if source.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = source.text().to_owned();
    // From the last insertion to the first, so that the places of the others stay.
    for (at, inserted) in insertions.iter().rev() {
        text.insert_str(*at, &inserted.replace('\n', breaks));
    }
    let added = text.len() - source.text().len();
    let after = Source::new(source.name(), text.clone());
    let mut wanted: Vec<Json> = documents.iter().map(|document| document.root().to_json()).collect();
    append_entries(wanted[at].pointer_mut(&pointer), entries);
    // Whatever the layout was: only this case may change, and only by these entries.
    let edited = parse_documents(&after, range.start..range.end + added)?;
    if edited.iter().map(|document| document.root().to_json()).eq(wanted) {
        return Ok(text);
    }
    let has_anchor = source.text()[range].contains(['&', '*']);
    let shared = "the checks of the case are shared by an anchor, and the others would change too";
    let layout = "the layout of the case is not one that can be edited";
    Err(if has_anchor { shared } else { layout }.to_owned())
}

/// The part of the file that is parsed at once: a line of JSON Lines, or all of it.
fn find_unit(source: &Source, at: usize) -> Range<usize> {
    let text = source.text();
    if find_extension(source.name()) != Some("jsonl") {
        return 0..text.len();
    }
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    start..text[at..].find('\n').map_or(text.len(), |end| at + end)
}

fn is_json(name: &str) -> bool {
    matches!(find_extension(name), Some("json" | "jsonl"))
}

fn find_extension(name: &str) -> Option<&str> {
    Path::new(name).extension()?.to_str()
}

fn parse_documents(source: &Arc<Source>, range: Range<usize>) -> Result<Vec<Document>, String> {
    Document::parse_range(source, range).map_err(|errors| errors.to_string())
}

fn begins_at(tree: &Tree, at: usize) -> bool {
    tree.span.start as usize == at
}

/// Finds the mapping that begins at a byte, or whose id does, and its JSON pointer.
fn find_case(tree: &Tree, at: usize, pointer: String) -> Option<(&Tree, String)> {
    match &tree.value {
        Value::Map(entries) => {
            // The place of a case is its own, or that of its id, whichever the loader noted.
            let mut ids = entries.iter().filter(|(key, _)| ["id", "name"].contains(&&*key.name));
            if begins_at(tree, at) || ids.any(|(_, value)| begins_at(value, at)) {
                return Some((tree, pointer));
            }
            entries.iter().find_map(|(key, value)| {
                let token = escape_token(&key.name);
                find_case(value, at, format!("{pointer}/{token}"))
            })
        }
        Value::List(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| find_case(item, at, format!("{pointer}/{index}")))
        }
        _ => None,
    }
}

fn append_entries(case: Option<&mut Json>, entries: &[Json]) {
    let Some(case) = case.and_then(Json::as_object_mut) else { return };
    if let Some(list) = case.get_or_insert_with("expect", || json!([])).as_array_mut() {
        list.extend(entries.iter().cloned());
    }
}

/// Finds where the entries are inserted, and in what form.
struct ExpectEditor<'t> {
    text: &'t str,
    is_json: bool,
}

impl ExpectEditor<'_> {
    fn insert_entries(&self, case: &Tree, entries: &[Json]) -> Result<Vec<Insertion>, String> {
        let Value::Map(keys) = &case.value else { return Err("the case is not a mapping".to_owned()) };
        let Some((_, list)) = keys.iter().find(|(key, _)| key.name == "expect") else {
            return self.insert_key(case, entries);
        };
        let Value::List(items) = &list.value else {
            return Err("`expect` of the case is not a list".to_owned());
        };
        // A list in brackets goes on in its line; any other one gets lines of its own.
        if self.is_flow(list) {
            let rendered: Vec<String> = entries.iter().map(|entry| self.render_inline(entry)).collect();
            let end = items.last().map(|item| item.span.end as usize);
            return Ok(self.insert_inline(list, end, &rendered));
        }
        let column = self.find_dash(items).ok_or("the entries of `expect` do not begin their lines")?;
        Ok(vec![self.insert_lines(find_content_end(list), &render_lines(entries, column))])
    }

    /// Adds the key `expect` to a case without it.
    fn insert_key(&self, case: &Tree, entries: &[Json]) -> Result<Vec<Insertion>, String> {
        let Value::Map(keys) = &case.value else { return Ok(Vec::new()) };
        if self.is_flow(case) {
            let rendered: Vec<String> = entries.iter().map(|entry| self.render_inline(entry)).collect();
            let key = if self.is_json { "\"expect\"" } else { "expect" };
            let last = keys.iter().map(|(key, value)| value.span.end.max(key.span.end) as usize).max();
            return Ok(self.insert_inline(case, last, &[format!("{key}: [{}]", rendered.join(", "))]));
        }
        let start = case.span.start as usize;
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        // The dash of the list that contains the case is as wide as a space.
        if !self.text[line..start].chars().all(|c| c == ' ' || c == '-') {
            return Err("the case does not begin its line".to_owned());
        }
        let column = start - line;
        let key = format!("{:column$}expect:\n", "");
        Ok(vec![self.insert_lines(find_content_end(case), &(key + &render_lines(entries, column + 2)))])
    }

    /// Whether a list or mapping is in brackets.
    fn is_flow(&self, tree: &Tree) -> bool {
        self.text[tree.span.start as usize..].starts_with(['[', '{'])
    }

    /// The column of the dash of the first entry, from 0. The entry may begin on a line after its dash.
    fn find_dash(&self, items: &[Tree]) -> Option<usize> {
        let before = &self.text[..items.first()?.span.start as usize];
        let line = before.rsplit('\n').find(|line| !line.trim().is_empty())?;
        let indent = line.len() - line.trim_start_matches(' ').len();
        line[indent..].starts_with('-').then_some(indent)
    }

    /// Inserts whole lines after the line on which the content before them ends.
    fn insert_lines(&self, end: usize, lines: &str) -> Insertion {
        // A block of text ends behind its last line break.
        if self.text[..end].ends_with('\n') {
            return (end, lines.to_owned());
        }
        match self.text[end..].find('\n') {
            Some(length) => (end + length + 1, lines.to_owned()),
            None => (self.text.len(), format!("\n{}", lines.trim_end())),
        }
    }

    /// Inserts into brackets, after the item that ends at `last`. Where each item has its own line, so have the new ones.
    fn insert_inline(&self, container: &Tree, last: Option<usize>, items: &[String]) -> Vec<Insertion> {
        // Empty brackets have no item after which a comma could stand.
        let Some(last) = last else {
            return vec![(container.span.start as usize + 1, items.join(", "))];
        };
        let rest = &self.text[last..container.span.end as usize - 1];
        // A comma may follow the last item already, with blanks or comments between.
        let comma = skip_blanks(rest).filter(|at| rest[*at..].starts_with(',')).map(|at| last + at + 1);
        let (mut insertions, at) = match comma {
            Some(after) => (Vec::new(), after),
            None => (vec![(last, ",".to_owned())], last),
        };
        let Some(indent) = self.find_item_indent(container, last) else {
            insertions.push((at, format!(" {}", items.join(", "))));
            return insertions;
        };
        // A comment behind the last item stays on its line.
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |end| at + end);
        let tail = self.text[at..line_end].trim();
        let at = if tail.is_empty() || tail.starts_with('#') {
            at + self.text[at..line_end].trim_end().len()
        } else {
            at
        };
        let lines: Vec<String> = items.iter().map(|item| format!("\n{indent}{item}")).collect();
        insertions.push((at, lines.join(",")));
        insertions
    }

    /// The blanks before the first item of brackets, if it begins its line.
    fn find_item_indent(&self, container: &Tree, last: usize) -> Option<String> {
        let inside = &self.text[container.span.start as usize + 1..last];
        let first = inside.len() - inside.trim_start().len();
        let line = inside[..first].rfind('\n')?;
        Some(inside[line + 1..first].to_owned())
    }

    fn render_inline(&self, entry: &Json) -> String {
        if self.is_json { entry.to_string() } else { render_flow(entry) }
    }
}

/// The number of blanks, line breaks and comments that the text begins with.
fn skip_blanks(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        if !text[at..].starts_with('#') {
            return Some(at);
        }
        // A comment at the end of the text has nothing behind it.
        at += text[at..].find('\n')?;
    }
}

fn render_lines(entries: &[Json], column: usize) -> String {
    let lines = entries.iter().flat_map(|entry| [" ".repeat(column), render_item(entry, column)]);
    lines.collect()
}

/// Returns where the last value inside a value ends. The span of a block of lists and mappings goes on to the next
/// token. Values of an alias are elsewhere.
fn find_content_end(tree: &Tree) -> usize {
    let children: Vec<usize> = match &tree.value {
        Value::List(items) => items.iter().map(find_content_end).collect(),
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| find_content_end(value).max(key.span.end as usize)).collect()
        }
        // A key without a value still ends behind the key.
        _ => Vec::new(),
    };
    children.into_iter().max().unwrap_or(tree.span.end as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(name: &str, text: &str) -> Result<String, String> {
        let at = text.find("\"CASE").or_else(|| text.find("CASE")).expect("the id of the case");
        add_entries(
            &Source::new(name, text),
            at,
            &[json!({"contains": "x"}), json!({"call": {"tool": "a", "times": 1}})],
        )
    }

    const BLOCK: &str = "- contains: x\n- call: {tool: a, times: 1}\n";

    fn indent(columns: usize) -> String {
        BLOCK.split_inclusive('\n').flat_map(|line| [&" ".repeat(columns), line].map(str::to_owned)).collect()
    }

    #[test]
    fn entries_follow_the_last_one_of_a_block() {
        for (before, after) in [
            (
                "tests:\n  - id: CASE # one\n    expect: # these\n      - tool_called: a # why\n\n  - id: b\n",
                "",
            ),
            ("id: CASE\nexpect:\n- not_contains: |\n    a\n    b\n", "trace: t.json\n"),
            (
                "id: CASE\nexpect:\n  - calls:\n      list:\n        - a\n        - b: {c: 1}\n",
                "# end\ntrace: {calls: []}\n",
            ),
        ] {
            let column =
                before.find("\n      - tool").map_or_else(|| before.find("\n  -").map_or(0, |_| 2), |_| 6);
            let (before, rest) = before.split_once("\n\n").unwrap_or((before.trim_end(), ""));
            let rest = if rest.is_empty() { after.to_owned() } else { format!("\n{rest}") };
            let edited = edit("a.yaml", &format!("{before}\n{rest}"));
            assert_eq!(edited.as_deref(), Ok(format!("{before}\n{}{rest}", indent(column)).as_str()));
        }
    }

    #[test]
    fn entries_follow_the_last_one_in_brackets() {
        let new = "{contains: x}, {call: {tool: a, times: 1}}";
        for (before, after) in [
            ("{id: CASE, expect: [{tool_called: a}]}", format!("{{id: CASE, expect: [{{tool_called: a}}, {new}]}}")),
            ("{id: CASE, expect: [tool_called: a, ]}", format!("{{id: CASE, expect: [tool_called: a, {new} ]}}")),
            ("{id: CASE, expect: []}", format!("{{id: CASE, expect: [{new}]}}")),
            ("{id: CASE}", format!("{{id: CASE, expect: [{new}]}}")),
            (
                "{id: CASE, expect: [\n  {tool_called: a} # why\n]}\n",
                "{id: CASE, expect: [\n  {tool_called: a}, # why\n  {contains: x},\n  {call: {tool: a, times: 1}}\n]}\n"
                    .to_owned(),
            ),
        ] {
            assert_eq!(edit("a.yaml", before), Ok(after));
        }
    }

    #[test]
    fn a_case_without_checks_of_its_own_gets_the_key() {
        let edited = edit("a.yaml", "tests:\n  - id: CASE\n    trace: t.json # it\n  - id: b\n");
        let block = indent(6);
        let wanted = format!("tests:\n  - id: CASE\n    trace: t.json # it\n    expect:\n{block}  - id: b\n");
        assert_eq!(edited, Ok(wanted));
        let wanted = format!("id: CASE\ntrace: t.json\nexpect:\n{}", indent(2));
        assert_eq!(edit("a.yaml", "id: CASE\ntrace: t.json"), Ok(wanted.trim_end().to_owned()));
    }

    #[test]
    fn json_and_line_breaks_stay_what_they_are() {
        let text = "{\"id\": \"a\"}\n{\"id\": \"CASE\", \"expect\": [{\"tool_called\": \"a\"}]}\n";
        let more = "}, {\"contains\":\"x\"}, {\"call\":{\"tool\":\"a\",\"times\":1}}]";
        assert_eq!(edit("a.jsonl", text), Ok(text.replace("}]", more)));
        let edited = edit("a.yaml", "id: CASE\r\nexpect:\r\n  - tool_called: a\r\n");
        assert_eq!(
            edited,
            Ok(format!("id: CASE\nexpect:\n  - tool_called: a\n{}", indent(2)).replace('\n', "\r\n"))
        );
    }

    #[test]
    fn checks_that_cases_share_are_not_edited() {
        let shared =
            "the checks of the case are shared by an anchor, and the others would change too".to_owned();
        for text in [
            "tests:\n  - {id: CASE, expect: &e [{tool_called: a}]}\n  - {id: b, expect: *e}\n",
            "x: &e [{tool_called: a}]\ntests:\n  - {id: CASE, expect: *e}\n",
            "x: &e\n  expect: [{tool_called: a}]\ntests:\n  - id: CASE\n    <<: *e\n",
        ] {
            assert_eq!(edit("a.yaml", text), Err(shared.clone()), "{text}");
        }
        let apart = "x: &t {calls: []}\ntests:\n  - {id: CASE, trace: *t, expect: [{tool_called: a}]}\n";
        assert!(edit("a.yaml", apart).is_ok());
    }
}
