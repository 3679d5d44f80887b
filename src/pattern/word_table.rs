//! Tables of words in text files. A line that begins with `#` is a comment.

use std::sync::LazyLock;

/// Words or phrases, in the order of their table.
pub(crate) type WordList = LazyLock<Vec<&'static str>>;

/// Lists the words of a table, which whitespace separates.
pub(crate) fn list_words(table: &'static str) -> Vec<&'static str> {
    list_content(table).flat_map(str::split_whitespace).collect()
}

/// Lists the lines of a table.
pub(crate) fn list_lines(table: &'static str) -> Vec<&'static str> {
    list_content(table).collect()
}

/// Lists the rows of a table, `KEY: WORD WORD ...`.
pub(crate) fn list_rows(table: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = list_content(table).filter_map(|line| line.split_once(':'));
    rows.map(|(key, words)| (key, words.split_whitespace().collect())).collect()
}

/// Reads the rows of a table of examples: a JSON mapping of names to lists.
#[cfg(test)]
pub(crate) fn read_examples<T: serde::de::DeserializeOwned>(tables: &str, name: &str) -> Vec<T> {
    let mut tables: serde_json::Value = serde_json::from_str(tables).expect("tables of examples");
    serde_json::from_value(tables[name].take()).expect(name)
}

fn list_content(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}
