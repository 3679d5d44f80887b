//! Tool names as people mean them: `EditFile`, `edit_file` and `edit-file` are one name.
//!
//! Case, `-`, `_`, blanks and dots do not count. A namespace does: `fs.edit_file` is another name than `edit_file`.

use smol_str::SmolStr;

/// Returns the form that all spellings of `name` have in common.
///
/// ```
/// # use arraign::__internals::pattern::normal_name;
/// assert_eq!(normal_name("EditFile"), normal_name("edit-file"));
/// ```
pub fn normal_name(name: &str) -> String {
    fold_name(name).into()
}

/// Folds a name: lower case, without separators. A name of separators alone stays as it is. Names of usual length are
/// not allocated.
pub(super) fn fold_name(name: &str) -> SmolStr {
    let folded: SmolStr = fold_chars(name).collect();
    if folded.is_empty() { SmolStr::new(name) } else { folded }
}

/// Whether `folded` is what [`fold_name`] makes of `name`.
pub(super) fn has_spelling(name: &str, folded: &str) -> bool {
    fold_chars(name).eq(folded.chars()) && !folded.is_empty() || name == folded
}

fn fold_chars(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !is_separator(*c)).flat_map(char::to_lowercase)
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | ' ' | '.')
}

/// The glob without separators, but for those in a class, where a `-` makes a range. `None` when only wildcards
/// would be left: `_*` means names that begin with an underscore, not all names.
pub(super) fn strip_separators(glob: &str) -> Option<String> {
    let mut kept = String::new();
    let mut has_letter = false;
    let mut in_class = false;
    // Names are compared without separators, so the glob drops them as well: `get_*_order` must match `getUserOrder`.
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if !in_class => {
                let escaped = chars.next().filter(|c| !is_separator(*c));
                // An escaped character is a letter of the name, whatever it is elsewhere.
                has_letter |= escaped.is_some();
                kept.extend(escaped.map(|c| ['\\', c]).into_iter().flatten());
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            // Inside a class every character is a member, and a `-` makes a range: both stay.
            c if !in_class && is_separator(c) => continue,
            c => has_letter |= !in_class && !"*?{},".contains(c),
        }
        kept.push(c);
    }
    has_letter.then_some(kept)
}
