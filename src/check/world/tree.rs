//! The state behind mock tools: one JSON value that is changed in place.
//!
//! A log has what each change replaced, so that an answer of which one operation fails leaves no trace, and so that a run
//! ends where it began. Nothing is copied but what an operation touches, however large the state is.

use smol_str::{SmolStr, format_smolstr};

use crate::evidence::StateEdit;
use crate::json::Json;
use crate::yaml::escape_token;

/// The unescaped tokens of a JSON pointer.
pub(crate) type StatePath = Vec<SmolStr>;

/// Renders a path as a JSON pointer.
pub(crate) fn render_pointer(path: &[SmolStr]) -> String {
    let tokens = path.iter().flat_map(|token| ["/".into(), escape_token(token)]);
    tokens.collect()
}

/// Returns the value at a path.
pub(crate) fn find_at<'v>(value: &'v Json, path: &[SmolStr]) -> Option<&'v Json> {
    path.iter().try_fold(value, |value, token| match value {
        Json::Object(fields) => fields.get(token),
        Json::Array(items) => items.get(parse_index(token)?),
        _ => None,
    })
}

/// Parses the index of an element of a list: digits without a leading zero.
fn parse_index(token: &str) -> Option<usize> {
    let is_index =
        token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    if is_index { token.parse().ok() } else { None }
}

/// Whether one of the paths leads to the other, or they are one.
pub(crate) fn overlap(one: &[SmolStr], other: &[SmolStr]) -> bool {
    one.iter().zip(other).all(|(one, other)| one == other)
}

/// A state that is being changed.
#[derive(Debug)]
pub(crate) struct WorldTree {
    root: Json,
    log: Vec<Change>,
}

/// One change, with what it replaced.
#[derive(Debug)]
struct Change {
    /// The path of the value.
    path: StatePath,
    undo: Undo,
}

#[derive(Debug)]
enum Undo {
    /// The value was replaced.
    Put(Json),
    /// A member was added.
    TakeOut,
    /// The element at the path was added, as the last of its list.
    Pop,
    /// A member was removed.
    Insert(Json),
    /// An element was removed.
    InsertElement(usize, Json),
}

impl WorldTree {
    pub(crate) fn new(root: Json) -> Self {
        Self { root, log: Vec::new() }
    }

    /// Returns the value at a path.
    pub(crate) fn find(&self, path: &[SmolStr]) -> Option<&Json> {
        find_at(&self.root, path)
    }

    fn find_mut(&mut self, path: &[SmolStr]) -> Option<&mut Json> {
        path.iter().try_fold(&mut self.root, |value, token| match value {
            Json::Object(fields) => fields.get_mut(token),
            Json::Array(items) => items.get_mut(parse_index(token)?),
            _ => None,
        })
    }

    /// Sets the value at a path. The last member is added if it is absent, its parents never. The error is a sentence.
    pub(crate) fn set(&mut self, path: StatePath, value: Json) -> Result<(), String> {
        let undo = match path.split_last() {
            None => Undo::Put(std::mem::replace(&mut self.root, value)),
            Some((last, parents)) => match self.find_mut(parents) {
                Some(Json::Object(fields)) => match fields.insert(last.as_str().to_owned(), value) {
                    Some(old) => Undo::Put(old),
                    None => Undo::TakeOut,
                },
                Some(Json::Array(items)) => {
                    let element = parse_index(last).and_then(|index| items.get_mut(index));
                    let element = element.ok_or_else(|| describe_absence(&path))?;
                    Undo::Put(std::mem::replace(element, value))
                }
                _ => return Err(describe_absence(parents)),
            },
        };
        self.log.push(Change { path, undo });
        Ok(())
    }

    /// Appends a value to the list at a path. The error is a sentence.
    pub(crate) fn append(&mut self, path: StatePath, value: Json) -> Result<(), String> {
        let index = match self.find_mut(&path) {
            Some(Json::Array(items)) => {
                items.push(value);
                items.len() - 1
            }
            Some(_) => return Err(format!("`{}` is not a list", render_pointer(&path))),
            None => return Err(describe_absence(&path)),
        };
        let path = path.into_iter().chain([format_smolstr!("{index}")]).collect();
        self.log.push(Change { path, undo: Undo::Pop });
        Ok(())
    }

    /// Removes what is at a path. The error is a sentence.
    pub(crate) fn remove(&mut self, path: &[SmolStr]) -> Result<(), String> {
        let Some((last, parents)) = path.split_last() else { return Err("the whole state stays".to_owned()) };
        let change = match self.find_mut(parents) {
            Some(Json::Object(fields)) => {
                fields.remove(last).map(Undo::Insert).map(|undo| (path.to_vec(), undo))
            }
            Some(Json::Array(items)) => {
                let index = parse_index(last).filter(|index| *index < items.len());
                // The elements behind it move, so the list as a whole has changed.
                index.map(|index| (parents.to_vec(), Undo::InsertElement(index, items.remove(index))))
            }
            _ => None,
        };
        let (path, undo) = change.ok_or_else(|| describe_absence(path))?;
        self.log.push(Change { path, undo });
        Ok(())
    }

    /// Makes a change that a program has made. The error is a sentence.
    pub(crate) fn apply_edit(&mut self, edit: &StateEdit) -> Result<(), String> {
        match edit {
            StateEdit::Set(path, value) => self.set(path.clone(), value.clone()),
            StateEdit::Append(path, value) => self.append(path.clone(), value.clone()),
            StateEdit::Remove(path) => self.remove(path),
        }
    }

    /// Returns the number of changes so far.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Lists the paths that were changed since a mark. A list whose elements moved has changed as a whole.
    pub(crate) fn list_written(&self, mark: usize) -> impl Iterator<Item = &StatePath> {
        self.log[mark.min(self.log.len())..].iter().map(|change| &change.path)
    }

    /// Takes back all changes since a mark.
    pub(crate) fn roll_back(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some(Change { path, undo }) = self.log.pop() else { return };
            self.take_back(&path, undo);
        }
    }

    fn take_back(&mut self, path: &[SmolStr], undo: Undo) {
        match undo {
            Undo::Put(old) => {
                if let Some(value) = self.find_mut(path) {
                    *value = old;
                }
            }
            Undo::Pop => {
                let list = path.split_last().and_then(|(_, list)| self.find_mut(list));
                if let Some(Json::Array(items)) = list {
                    items.pop();
                }
            }
            Undo::InsertElement(index, old) => {
                if let Some(Json::Array(items)) = self.find_mut(path) {
                    items.insert(index, old);
                }
            }
            Undo::TakeOut | Undo::Insert(_) => {
                let Some((last, parents)) = path.split_last() else { return };
                let Some(Json::Object(fields)) = self.find_mut(parents) else { return };
                match undo {
                    Undo::Insert(old) => drop(fields.insert(last.as_str().to_owned(), old)),
                    _ => drop(fields.remove(last)),
                }
            }
        }
    }
}

/// Says that nothing is at a path.
pub(crate) fn describe_absence(path: &[SmolStr]) -> String {
    format!("`{}` does not exist", render_pointer(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn path(pointer: &str) -> StatePath {
        super::super::template::parse_pointer(pointer).expect("a pointer")
    }

    fn shop() -> Json {
        json!({"orders": {"7": {"status": "shipped"}, "a/b": 1}, "refunds": [{"id": 1}, {"id": 2}], "n": 1})
    }

    #[test]
    fn each_operation_changes_what_it_says() {
        let mut tree = WorldTree::new(shop());
        tree.set(path("/orders/7/status"), json!("refunded")).expect("set");
        tree.set(path("/orders/8"), json!({})).expect("a new member");
        tree.append(path("/refunds"), json!({"id": 3})).expect("append");
        tree.remove(&path("/refunds/0")).expect("remove");
        tree.remove(&path("/orders/a~1b")).expect("remove");
        assert_eq!(
            tree.root,
            json!({"orders": {"7": {"status": "refunded"}, "8": {}}, "refunds": [{"id": 2}, {"id": 3}], "n": 1})
        );
        let written: Vec<String> = tree.list_written(0).map(|path| render_pointer(path)).collect();
        assert_eq!(written, ["/orders/7/status", "/orders/8", "/refunds/2", "/refunds", "/orders/a~1b"]);
        tree.roll_back(0);
        assert_eq!(tree.root, shop());
    }

    #[test]
    fn an_operation_on_an_absent_path_changes_nothing() {
        let mut tree = WorldTree::new(shop());
        for result in [
            tree.set(path("/orders/9/status"), json!(1)),
            tree.set(path("/n/x"), json!(1)),
            tree.set(path("/refunds/2"), json!(1)),
            tree.set(path("/refunds/-"), json!(1)),
            tree.append(path("/orders"), json!(1)),
            tree.append(path("/none"), json!(1)),
            tree.remove(&path("/orders/9")),
            tree.remove(&path("/refunds/02")),
            tree.remove(&path("/n/x")),
        ] {
            assert!(result.is_err());
        }
        assert_eq!((tree.root, tree.log.len()), (shop(), 0));
    }

    #[test]
    fn any_mix_of_changes_is_taken_back() {
        let mut tree = WorldTree::new(shop());
        // A linear congruential generator: the same mixes in each run.
        let mut seed = 7_u64;
        let mut draw = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % most
        };
        let pointers =
            ["/orders/7", "/orders/7/status", "/orders/8", "/refunds", "/refunds/0", "/refunds/1", "/n", ""];
        for _ in 0..2_000 {
            let mark = tree.mark();
            let before = tree.root.clone();
            for _ in 0..draw(8) {
                let at = path(pointers[draw(pointers.len())]);
                let value = [json!([]), json!({}), json!({"7": {"status": 1}}), json!(2)][draw(4)].clone();
                // Whether the path exists is a matter of chance.
                drop(match draw(3) {
                    0 => tree.set(at, value),
                    1 => tree.append(at, value),
                    _ => tree.remove(&at),
                });
            }
            tree.roll_back(mark);
            assert_eq!(tree.root, before);
            // Some states go on from here.
            drop(tree.append(path("/refunds"), json!({})));
            if draw(9) == 0 {
                tree.roll_back(0);
                assert_eq!(tree.root, shop());
            }
        }
    }
}
