//! URLs, and paths and names of files.

use super::cursor::AtomCursor;
use super::{AtomKind, AtomReading, RecognisedAtom, TextPosition, fold_text, is_word};
use crate::pattern::unspaced::is_unspaced;

/// The longest of them, in bytes.
const MAX_BYTES: usize = 2048;

/// The largest number of brackets that are removed from the end of a URL.
const MAX_TRIMMED: usize = 8;

/// The marks that end a sentence or a bracket, and not a URL or a path.
const TRAILING: &[char] = &['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '-'];

/// Endings that make a name a file without a folder. `js` is not in the list: Node.js is not a file.
const EXTENSIONS: &[&str] = &[
    "bash", "c", "cfg", "conf", "cpp", "css", "csv", "db", "doc", "docx", "gif", "go", "gz", "h", "hpp",
    "htm", "html", "ini", "ipynb", "java", "jpeg", "jpg", "json", "jsonl", "jsx", "lock", "log", "md",
    "parquet", "pdf", "php", "png", "ppt", "pptx", "py", "rb", "rs", "sh", "sql", "svg", "tar", "toml", "ts",
    "tsv", "tsx", "txt", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Characters that end a URL besides whitespace: brackets and quotes around it.
const NOT_IN_URL: &str = "<>\"`{}|\\^\u{201c}\u{201d}\u{ab}\u{bb}、。，；：！？（）「」『』【】《》";

pub(super) fn recognise_url(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    let mut cursor = AtomCursor::new(here.head(MAX_BYTES));
    let scheme = ["https://", "http://", "ftp://"].iter().find(|scheme| cursor.take_text(scheme).is_some());
    let start = cursor.used();
    if scheme.is_none() && !cursor.rest().starts_with("www.") {
        return None;
    }
    let address =
        trim_address(cursor.take_while(|c| !c.is_whitespace() && !NOT_IN_URL.contains(c) && !is_unspaced(c)));
    // `https://a.example/` and `https://a.example` are one address.
    let text = address.trim_end_matches('/');
    address.starts_with(is_word).then(|| RecognisedAtom::of_text(start + address.len(), AtomKind::Urls, text))
}

/// `address` without the sentence's own marks at its end, and without a bracket that was opened before it.
fn trim_address(mut address: &str) -> &str {
    for _ in 0..MAX_TRIMMED {
        // A full stop behind a URL ends the sentence, and a bracket may have been opened before the URL: `(see
        // https://a.example/x)`. Taking off one may uncover the other, so both are repeated, a few times at most.
        let shorter = address.trim_end_matches(TRAILING);
        let unopened = [('(', ')'), ('[', ']')].into_iter().find(|(open, close)| {
            shorter.ends_with(*close) && shorter.matches(*open).count() < shorter.matches(*close).count()
        });
        let shorter = unopened.map_or(shorter, |_| &shorter[..shorter.len() - 1]);
        if shorter.len() == address.len() {
            break;
        }
        address = shorter;
    }
    address
}

pub(super) fn recognise_path(here: TextPosition<'_>) -> Option<RecognisedAtom> {
    // In the middle of a word or of a longer path, a part of it must not count as a path.
    if here.before().is_some_and(|before| is_word(before) || "/\\._-+@%~<".contains(before)) {
        return None;
    }
    let run = take_path(here.head(MAX_BYTES));
    let path = run.trim_end_matches(TRAILING);
    let is_path = is_rooted(path) || is_relative(path) || is_file_name(path);
    let text = fold_text(path);
    let text = text.trim_start_matches("./").trim_end_matches('/').to_owned();
    is_path.then(|| RecognisedAtom {
        length: path.len(),
        kind: AtomKind::Paths,
        readings: vec![AtomReading::Text(text)],
    })
}

/// The characters of a path; the colon of a drive is one of them.
fn take_path(text: &str) -> &str {
    let mut cursor = AtomCursor::new(text);
    let drive = cursor.take_letters();
    let has_drive = drive.len() == 1 && (cursor.rest().starts_with(":\\") || cursor.rest().starts_with(":/"));
    // The letters were only read to look behind them.
    cursor = AtomCursor::new(text);
    cursor.skip(if has_drive { 2 } else { 0 });
    cursor.take_while(|c| is_word(c) || "/\\._-+@%~".contains(c));
    &text[..cursor.used()]
}

/// `/etc/hosts`, `~/notes`, `../src`, `C:\Users`, `\\server\share`; of a path below the root, at least two names.
fn is_rooted(path: &str) -> bool {
    let names = path.split(['/', '\\']).filter(|name| name.contains(is_word)).count();
    let near = ["~/", "./", "../", ".\\", "..\\"].iter().any(|start| path.starts_with(start));
    let drive = path.get(1..3).is_some_and(|colon| matches!(colon, ":\\" | ":/"));
    // `//` begins a comment or a URL without a scheme.
    let below_root = path.starts_with("\\\\") || (path.starts_with('/') && !path.starts_with("//"));
    (near && names >= 1) || (drive && names >= 2) || (below_root && names >= 2)
}

/// `src/main.rs`: names with a slash between them, the last of them with an ending in lower case.
fn is_relative(path: &str) -> bool {
    let Some((folder, file)) = path.rsplit_once(['/', '\\']) else { return false };
    // A long ending is rather a word behind a period.
    let ending = find_extension(file).filter(|ending| ending.len() <= 8);
    folder.starts_with(is_word)
        && ending.is_some_and(|ending| {
            ending.starts_with(|c: char| c.is_ascii_lowercase())
                && ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
}

fn is_file_name(path: &str) -> bool {
    let Some(ending) = find_extension(path) else { return false };
    !path.contains(['/', '\\', '@']) && EXTENSIONS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

fn find_extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(stem, _)| stem.contains(is_word)).map(|(_, ending)| ending)
}
