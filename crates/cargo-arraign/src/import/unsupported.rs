//! Lists what could not be imported, so that nothing is dropped silently.

use arraign::__internals::place::Place;
use arraign::__internals::yaml::Node;

/// Something that was not imported, or not with the same meaning.
#[derive(Clone)]
pub(super) struct Unsupported {
    /// The position in the imported file.
    pub(super) place: Place,
    /// The name of the key or value.
    pub(super) what: String,
    /// The reason, and what to do instead.
    pub(super) why: String,
}

impl Unsupported {
    fn is_same(&self, other: &Self) -> bool {
        // The same key of two cases is one remark each, so the place counts.
        let is_same_place = self.place.file() == other.place.file()
            && self.place.span().start == other.place.span().start
            && self.place.line() == other.place.line();
        is_same_place && self.what == other.what && self.why == other.why
    }
}

/// All unsupported parts, in the order in which they were found.
#[derive(Default)]
pub(super) struct UnsupportedList(pub(super) Vec<Unsupported>);

impl UnsupportedList {
    pub(super) fn add(&mut self, place: Place, what: impl Into<String>, why: impl Into<String>) {
        self.0.push(Unsupported { place, what: what.into(), why: why.into() });
    }

    /// Sorts by file and position, and removes duplicates, because several files can share a file of criteria.
    pub(super) fn sort(&mut self) {
        let mut files = Vec::new();
        for entry in &self.0 {
            if !files.contains(&entry.place.file().to_owned()) {
                files.push(entry.place.file().to_owned());
            }
        }
        // Files keep the order of the command line, and are not sorted by name.
        self.0.sort_by_key(|entry| {
            let file = files.iter().position(|file| file == entry.place.file());
            (file, entry.place.span().start, entry.place.line())
        });
        self.0.dedup_by(|one, other| one.is_same(other));
    }

    /// Adds the value of `key`.
    pub(super) fn add_key(&mut self, node: Node<'_>, key: &str, why: impl Into<String>) {
        self.add(node.place(), format!("`{key}`"), why);
    }
}
