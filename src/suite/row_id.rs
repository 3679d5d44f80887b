//! Ids for rows that have none: a golden dataset names its rows by what they ask.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::place::{LoadError, LoadErrors, Place, Source};
use crate::yaml::{Key, Tree, Value};

/// The longest name that is made of an input, in characters.
const MAX_ID_CHARS: usize = 48;

/// Keys that decide when a row runs, not what it checks. Changing them does not rename the row.
const UNHASHED_KEYS: [&str; 4] = ["tier", "tags", "ignore", "timeout"];

/// Gives an id to each row without one: the words of its input, and a hash of the row if several rows have the same input.
/// Two equal rows are an error. The ids do not depend on the order of the rows.
pub(super) fn name_rows(rows: &mut [&mut Tree], source: &Arc<Source>) -> Result<(), LoadErrors> {
    let slugs: Vec<Option<String>> = rows.iter().map(|row| derive_slug(row)).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    // A number after the second slug would change when rows move, and with it the names of trials and their history.
    for slug in slugs.iter().flatten() {
        *uses.entry(slug).or_default() += 1;
    }
    let mut seen = HashMap::new();
    let mut errors = LoadErrors::new();
    for (row, slug) in rows.iter_mut().zip(&slugs) {
        let Some(slug) = slug else { continue };
        let id =
            // A hash of the row tells rows of one input apart, wherever they are in the file.
            if uses[slug.as_str()] == 1 { slug.clone() } else { format!("{slug}_{:08x}", hash_row(row)) };
        let place = Place::new(source, row.span);
        match seen.get(&id) {
            Some(line) => errors.push(is_same_row(place, *line)),
            None => drop(seen.insert(id.clone(), place.line())),
        }
        let Value::Map(entries) = &mut row.value else { continue };
        let span = entries.iter().find(|(key, _)| is_input(key)).map_or(row.span, |(_, input)| input.span);
        entries.push((Key { span, name: "id".into() }, Tree { span, value: Value::String(id.into()) }));
    }
    errors.or(())
}

fn is_same_row(place: Place, line: usize) -> LoadError {
    LoadError::new(place, format!("this row is the same as that of line {line}"))
        .help("take one out, or give each an `id`")
}

fn is_input(key: &Key) -> bool {
    key.name == "input" || key.name == "prompt"
}

/// The words of a row's input; `None` for a row that has an id, or no input to be named by.
fn derive_slug(row: &Tree) -> Option<String> {
    let Value::Map(entries) = &row.value else { return None };
    // A row that names itself needs no name from its input.
    if entries.iter().any(|(key, _)| key.name == "id" || key.name == "name") {
        return None;
    }
    let (_, input) = entries.iter().find(|(key, _)| is_input(key))?;
    let text = match &input.value {
        Value::String(text) => text,
        Value::Map(inner) => inner.iter().find_map(|(key, tree)| find_query(key, tree))?,
        _ => return None,
    };
    Some(build_slug(text))
}

fn find_query<'t>(key: &Key, tree: &'t Tree) -> Option<&'t SmolStr> {
    match &tree.value {
        Value::String(text) if key.name == "query" => Some(text),
        _ => None,
    }
}

/// `Find me headphones under $200`: `find_me_headphones_under_200`.
fn build_slug(text: &str) -> String {
    let mut slug = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        // Whole words only: a word that is cut reads like another one.
        if slug.chars().count() + word.chars().count() >= MAX_ID_CHARS {
            break;
        }
        if !slug.is_empty() {
            slug.push('_');
        }
        slug.extend(word.chars().flat_map(char::to_lowercase));
    }
    if slug.is_empty() { "row".to_owned() } else { slug }
}

/// FNV-1a over what the row says: the same in every version of Rust, so a trial keeps its name.
fn hash_row(row: &Tree) -> u32 {
    // Keys, values and the marks around them are hashed in the order of the file, so that equal rows have equal hashes.
    let mut hash = 0x811c_9dc5;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    };
    match &row.value {
        Value::Map(entries) => {
            let hashed = entries.iter().filter(|(key, _)| !UNHASHED_KEYS.contains(&key.name.as_str()));
            fold_entries(hashed, &mut add);
        }
        _ => fold_char(row, &mut add),
    }
    hash
}

fn fold_entries<'t>(entries: impl Iterator<Item = &'t (Key, Tree)>, add: &mut dyn FnMut(&[u8])) {
    add(b"{");
    for (key, tree) in entries {
        add(key.name.as_bytes());
        add(b":");
        fold_char(tree, add);
    }
    add(b"}");
}

fn fold_char(tree: &Tree, add: &mut dyn FnMut(&[u8])) {
    match &tree.value {
        Value::List(trees) => {
            // Brackets and quotes are hashed, too, so that different values never have the same bytes.
            add(b"[");
            for tree in trees {
                fold_char(tree, add);
            }
            add(b"]");
        }
        Value::Map(entries) => fold_entries(entries.iter(), add),
        Value::String(text) => {
            add(b"\"");
            add(text.as_bytes());
            add(b"\"");
        }
        scalar => add(format!("{scalar:?},").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Document;

    fn ids(text: &str) -> Result<Vec<String>, String> {
        let source = Source::new("rows.json", text);
        let mut document = Document::parse(&source).expect("it parses").remove(0);
        let Value::List(rows) = &mut document.root.value else { panic!("a list") };
        let mut rows: Vec<&mut Tree> = rows.iter_mut().collect();
        name_rows(&mut rows, &source).map_err(|errors| errors.to_string())?;
        Ok(rows.iter().map(|row| id_of(row)).collect())
    }

    fn id_of(row: &Tree) -> String {
        let Value::Map(entries) = &row.value else { panic!("a mapping") };
        let (_, id) = entries.iter().find(|(key, _)| key.name == "id").expect("an id");
        let Value::String(id) = &id.value else { panic!("a text") };
        id.to_string()
    }

    #[test]
    fn rows_are_named_by_what_they_ask() {
        let text = r#"[{"input": "Find me headphones under $200!"}, {"id": "own", "input": "x"}, {"input": {"query": "Héllo, wörld"}}]"#;
        assert_eq!(ids(text).expect("ids"), ["find_me_headphones_under_200", "own", "héllo_wörld"]);
    }

    #[test]
    fn rows_that_ask_the_same_are_told_apart_in_any_order() {
        let one = r#"{"input": "a b", "tier": "smoke"}"#;
        let two = r#"{"input": "A, B"}"#;
        let there = ids(&format!("[{one}, {two}]")).expect("ids");
        let mut back = ids(&format!("[{two}, {one}]")).expect("ids");
        back.reverse();
        assert!(there[0].starts_with("a_b_") && there[0] != there[1], "{there:?}");
        assert_eq!(there, back);
    }

    #[test]
    fn when_a_row_runs_does_not_change_its_id() {
        let rows =
            |more: &str| ids(&format!(r#"[{{"input": "a b"{more}}}, {{"input": "A, B"}}]"#)).expect("ids");
        let plain = rows("");
        for more in [r#", "tier": "smoke""#, r#", "tier": "full", "tags": ["x"]"#, r#", "ignore": true"#] {
            assert_eq!(rows(more), plain, "{more}");
        }
        assert_ne!(rows(r#", "expected_tools": ["look"]"#), plain);
    }

    #[test]
    fn equal_rows_are_a_mistake() {
        let error = ids("[{\"input\": \"a\"},\n{\"input\": \"a\"}]").expect_err("the same row twice");
        assert!(error.contains("the same as that of line 1"), "{error}");
    }
}
