//! Tables of words in text files. A line that begins with `#` is a comment.

#[cfg(feature = "verification")]
use std::collections::HashSet;
use std::sync::LazyLock;
#[cfg(feature = "verification")]
use std::sync::OnceLock;

/// Words or phrases, in the order of their table.
pub(crate) type WordList = LazyLock<Vec<&'static str>>;

/// The words of a table, which whitespace separates, without their order.
#[cfg(feature = "verification")]
pub(crate) struct WordSet {
    table: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

#[cfg(feature = "verification")]
impl WordSet {
    /// Creates the set of the words in `table`, which is read when a word is looked up.
    pub(crate) const fn new(table: &'static str) -> Self {
        Self { table, words: OnceLock::new() }
    }

    /// Whether the table has `word`.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.words.get_or_init(|| list_words(self.table).into_iter().collect()).contains(word)
    }
}

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
    let mut tables = crate::json::parse(tables).expect("tables of examples");
    crate::json::from_json(tables[name].take()).expect(name)
}

fn list_content(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}
