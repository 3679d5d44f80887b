//! The paths of a run, found again however much of them is written: `/repo/src/a.rs`, `src/a.rs`, `a.rs`.
//!
//! A tree of the parts of paths, last part first, so that each look-up costs the length of its path.

use std::collections::HashMap;

use super::path::{is_absolute, parts};

/// Things by path.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    nodes: Vec<Node>,
    things: Vec<(bool, T)>,
}

#[derive(Debug, Default)]
struct Node {
    children: HashMap<String, usize>,
    /// The thing whose path ends here.
    own: Option<usize>,
    /// The thing put last below here: the one that a shorter path means.
    latest: Option<usize>,
}

/// The things that a path may mean.
struct Found {
    same: Option<usize>,
    /// Its path ends with the one that is looked for.
    longer: Option<usize>,
    /// The path that is looked for ends with its.
    shorter: Option<usize>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], things: Vec::new() }
    }
}

impl<T> Shelf<T> {
    /// The thing that `path` shows. A relative path may be one of a deeper folder: the run may have gone there.
    pub(super) fn get(&self, path: &str) -> Option<&T> {
        self.things.get(self.index(path)?).map(|(_, thing)| thing)
    }

    /// The same, to be changed.
    pub(super) fn find(&mut self, path: &str) -> Option<&mut T> {
        let index = self.index(path)?;
        self.things.get_mut(index).map(|(_, thing)| thing)
    }

    fn index(&self, path: &str) -> Option<usize> {
        let found = self.search(&parts(path));
        let longer = found.longer.filter(|_| !is_absolute(path));
        found.same.or(longer).or_else(|| found.shorter.filter(|_| is_absolute(path)))
    }

    fn search(&self, parts: &[String]) -> Found {
        let mut found = Found { same: None, longer: None, shorter: None };
        let mut node = 0;
        for (index, part) in parts.iter().enumerate() {
            let Some(next) = self.nodes[node].children.get(part) else { return found };
            node = *next;
            let own = self.nodes[node].own;
            if index + 1 < parts.len() {
                found.shorter = own.filter(|own| !self.things[*own].0).or(found.shorter);
            } else {
                (found.same, found.longer) = (own, self.nodes[node].latest);
            }
        }
        found
    }

    /// Puts a thing at `path`, in the place of the one that is there. Two relative paths are the same only when
    /// they are equal: `Cargo.toml` is not `web/Cargo.toml`.
    pub(super) fn put(&mut self, path: &str, thing: T) {
        let parts = parts(path);
        let found = self.search(&parts);
        let absolute = is_absolute(path);
        let other =
            if absolute { found.shorter } else { found.longer.filter(|longer| self.things[*longer].0) };
        if let Some(index) = found.same.or(other) {
            self.things[index].1 = thing;
            return;
        }
        let index = self.things.len();
        self.things.push((absolute, thing));
        let mut node = 0;
        for part in parts {
            let next = self.nodes.len();
            node = *self.nodes[node].children.entry(part).or_insert(next);
            if node == next {
                self.nodes.push(Node::default());
            }
            self.nodes[node].latest = Some(index);
        }
        self.nodes[node].own = Some(index);
    }

    /// All things, in the order in which their paths first came.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.things.iter().map(|(_, thing)| thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_end() {
        let mut shelf = Shelf::default();
        shelf.put("/repo/src/a.rs", 1);
        shelf.put("lib/b.rs", 2);
        assert_eq!(shelf.find("src/a.rs"), Some(&mut 1));
        assert_eq!(shelf.find("./a.rs"), Some(&mut 1));
        assert_eq!(shelf.find("/other/lib/b.rs"), Some(&mut 2));
        assert_eq!(shelf.find("test/a.rs"), None);
        shelf.put("src/a.rs", 3);
        assert_eq!(shelf.iter().collect::<Vec<_>>(), [&3, &2]);
    }

    #[test]
    fn files_of_one_name_in_two_folders_are_two() {
        let mut shelf = Shelf::default();
        shelf.put("Cargo.toml", 1);
        shelf.put("web/Cargo.toml", 2);
        assert_eq!(shelf.iter().collect::<Vec<_>>(), [&1, &2]);
        assert_eq!(shelf.find("web/Cargo.toml"), Some(&mut 2));
        assert_eq!(shelf.find("Cargo.toml"), Some(&mut 1));
    }
}
