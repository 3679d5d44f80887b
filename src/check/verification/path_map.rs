//! A map by path that finds a file however much of its path is written: `/repo/src/a.rs`, `src/a.rs`, `a.rs`.
//!
//! The map is a tree of the parts of paths, last part first, so that a look-up costs the length of its path and not the
//! number of files.

use std::collections::HashMap;

use super::path::{is_absolute, parts};

/// Values by path. The flag of a value: whether its path is absolute.
#[derive(Debug)]
pub(super) struct PathMap<T> {
    nodes: Vec<PathNode>,
    values: Vec<(bool, T)>,
}

#[derive(Debug, Default)]
struct PathNode {
    children: HashMap<String, usize>,
    /// The value with exactly this path.
    own: Option<usize>,
    /// The value that was inserted last below this node. A shorter path refers to it.
    latest: Option<usize>,
}

/// The values that a path may refer to.
struct PathMatches {
    same: Option<usize>,
    /// A value with a longer path, which ends with the requested one.
    longer: Option<usize>,
    /// A value with a shorter path, with which the requested one ends.
    shorter: Option<usize>,
}

impl<T> Default for PathMap<T> {
    fn default() -> Self {
        Self { nodes: vec![PathNode::default()], values: Vec::new() }
    }
}

impl<T> PathMap<T> {
    /// Returns the value for `path`. A relative path may begin in a deeper folder, to which the run may have changed.
    pub(super) fn get(&self, path: &str) -> Option<&T> {
        self.values.get(self.find_index(path)?).map(|(_, value)| value)
    }

    /// Mutable version of [`PathMap::get`].
    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut T> {
        let index = self.find_index(path)?;
        self.values.get_mut(index).map(|(_, value)| value)
    }

    fn find_index(&self, path: &str) -> Option<usize> {
        let found = self.search(&parts(path));
        let longer = found.longer.filter(|_| !is_absolute(path));
        found.same.or(longer).or_else(|| found.shorter.filter(|_| is_absolute(path)))
    }

    fn search(&self, parts: &[String]) -> PathMatches {
        let mut found = PathMatches { same: None, longer: None, shorter: None };
        let mut node = 0;
        for (index, part) in parts.iter().enumerate() {
            let Some(next) = self.nodes[node].children.get(part) else { return found };
            node = *next;
            let own = self.nodes[node].own;
            // A value on the way is at a shorter path, of which this one may be the complete form, if that path is
            // relative.
            if index + 1 < parts.len() {
                found.shorter = own.filter(|own| !self.values[*own].0).or(found.shorter);
            } else {
                (found.same, found.longer) = (own, self.nodes[node].latest);
            }
        }
        found
    }

    /// Inserts a value at `path` and replaces the one that is there. Two relative paths are the same only if they are
    /// equal: `Cargo.toml` is not `web/Cargo.toml`.
    pub(super) fn insert(&mut self, path: &str, value: T) {
        let parts = parts(path);
        // An absolute path and a relative one may be the same file, so a value at either is replaced. Two relative
        // paths may not.
        let found = self.search(&parts);
        let absolute = is_absolute(path);
        let other =
            if absolute { found.shorter } else { found.longer.filter(|longer| self.values[*longer].0) };
        if let Some(index) = found.same.or(other) {
            self.values[index].1 = value;
            return;
        }
        let index = self.values.len();
        self.values.push((absolute, value));
        let mut node = 0;
        for part in parts {
            let next = self.nodes.len();
            node = *self.nodes[node].children.entry(part).or_insert(next);
            if node == next {
                self.nodes.push(PathNode::default());
            }
            // The latest value below a node answers for shorter paths: `a.rs` means the last file that was written
            // under that name.
            self.nodes[node].latest = Some(index);
        }
        self.nodes[node].own = Some(index);
    }

    /// Returns all values, in the order in which their paths were inserted first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    /// Mutable version of [`PathMap::iter`].
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_end() {
        let mut path_map = PathMap::default();
        path_map.insert("/repo/src/a.rs", 1);
        path_map.insert("lib/b.rs", 2);
        assert_eq!(path_map.get_mut("src/a.rs"), Some(&mut 1));
        assert_eq!(path_map.get_mut("./a.rs"), Some(&mut 1));
        assert_eq!(path_map.get_mut("/other/lib/b.rs"), Some(&mut 2));
        assert_eq!(path_map.get_mut("test/a.rs"), None);
        path_map.insert("src/a.rs", 3);
        assert_eq!(path_map.iter().collect::<Vec<_>>(), [&3, &2]);
    }

    #[test]
    fn files_of_one_name_in_two_folders_are_two() {
        let mut path_map = PathMap::default();
        path_map.insert("Cargo.toml", 1);
        path_map.insert("web/Cargo.toml", 2);
        assert_eq!(path_map.iter().collect::<Vec<_>>(), [&1, &2]);
        assert_eq!(path_map.get_mut("web/Cargo.toml"), Some(&mut 2));
        assert_eq!(path_map.get_mut("Cargo.toml"), Some(&mut 1));
    }
}
