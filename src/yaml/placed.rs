//! Values of settings that know where the user wrote them.
//!
//! Settings are structs that derive `Deserialize`. A value of the type [`Placed`] keeps its place, so that an error which
//! only the next stage can see points at the value. An [`Unparsed`] value keeps its part of the file: a grammar of its own
//! reads it.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use smol_str::SmolStr;

use super::{Key, Node, Tree, Value};
use crate::place::{LoadError, LoadErrors, Place, Source};

/// The names by which these types ask the deserializer of YAML for more than serde's data model has.
const PLACED: &str = "$arraign::Placed";
const UNPARSED: &str = "$arraign::Unparsed";
const CHECKED: &str = "$arraign::Checked";
const ELSEWHERE: &str = "$arraign::Elsewhere";

thread_local! {
    /// The node on its way from the deserializer to the visitor that has asked for it. Serde has no channel for it: the
    /// deserializer puts it here as the last thing before it calls the visitor, which takes it out as the first.
    static HANDED: RefCell<Option<HandedNode>> = const { RefCell::new(None) };
}

thread_local! {
    /// The errors of a [`Checked`] value on their way back: an error of serde has room for one sentence and no place.
    static FAILED: RefCell<Option<LoadErrors>> = const { RefCell::new(None) };
}

/// Takes the errors with which a [`Checked`] value has just failed.
pub(super) fn take_failed() -> Option<LoadErrors> {
    FAILED.take()
}

enum HandedNode {
    Place { place: Place, key: SmolStr },
    Tree(Tree, Arc<Source>),
    Shape(Shape),
}

/// Hands to the visitor of the newtype called `name` what the visitor needs to know of `node` and of the node's key.
pub(super) fn hand(name: &str, node: Node<'_>, key: Option<&Key>) {
    let handed = match name {
        PLACED | CHECKED => HandedNode::Place {
            place: node.place(),
            key: key.map_or_else(SmolStr::default, |key| key.name.clone()),
        },
        UNPARSED => HandedNode::Tree(node.tree.clone(), Arc::clone(node.source)),
        SHAPED => HandedNode::Shape(Shape::of(node)),
        _ => return,
    };
    HANDED.set(Some(handed));
}

/// Takes the place of the value, and its key.
fn take_place() -> Option<(Place, SmolStr)> {
    match HANDED.take() {
        Some(HandedNode::Place { place, key }) => Some((place, key)),
        _ => None,
    }
}

fn take_tree() -> Option<(Tree, Arc<Source>)> {
    match HANDED.take() {
        Some(HandedNode::Tree(tree, source)) => Some((tree, source)),
        _ => None,
    }
}

/// The name by which these types ask the deserializer of YAML for the shape of the value. Serde's own untagged enums copy
/// the value before they look, and lose the places of mistakes.
pub(super) const SHAPED: &str = "$arraign::Shaped";

/// The shape of a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    List,
    Mapping,
    Short,
}

impl Shape {
    pub(super) fn of(node: Node<'_>) -> Self {
        match node.value() {
            Value::List(_) => Self::List,
            Value::Map(_) => Self::Mapping,
            _ => Self::Short,
        }
    }
}

/// Takes the shape of the value. In another format than YAML it is unknown.
pub(super) fn take_shape() -> Option<Shape> {
    match HANDED.take() {
        Some(HandedNode::Shape(shape)) => Some(shape),
        _ => None,
    }
}

/// A value and the place where it is written.
///
/// ```
/// # use arraign::Placed;
/// /// Settings of a check.
/// #[derive(serde::Deserialize)]
/// struct Settings {
///     /// A text; an empty one is an error where it is written.
///     text: Placed<String>,
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Placed<T> {
    value: T,
    place: Place,
    key: SmolStr,
}

impl<T> Placed<T> {
    /// A value at a place.
    pub fn new(value: T, place: Place) -> Self {
        Self { value, place, key: SmolStr::default() }
    }

    /// Returns the place of the value.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the key under which the value is written, which may be an alias of its field. Empty for an entry of a list.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the value without its place.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Creates an error at the value.
    pub fn error(&self, problem: impl fmt::Display) -> LoadError {
        LoadError::new(self.place.clone(), problem)
    }

    /// Converts the value. The sentence that `convert` returns becomes an error at the value.
    pub(crate) fn try_map<U, E: fmt::Display>(
        &self,
        convert: impl FnOnce(&T) -> Result<U, E>,
    ) -> Result<U, LoadError> {
        convert(&self.value).map_err(|problem| self.error(problem))
    }
}

impl<T> Deref for Placed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

struct PlacedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PlacedVisitor<T> {
    type Value = Placed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a YAML file")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Placed<T>, D::Error> {
        let Some((place, key)) = take_place() else { return Err(explain_other_format()) };
        Ok(Placed { value: T::deserialize(deserializer)?, place, key })
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(PLACED, PlacedVisitor(PhantomData))
    }
}

/// A value as it is written, which a grammar of its own parses. Editors are shown the form `T`.
#[derive(Debug, Clone)]
pub(crate) struct Unparsed<T> {
    tree: Tree,
    source: Arc<Source>,
    form: PhantomData<fn() -> T>,
}

impl<T> Unparsed<T> {
    /// Returns the value, ready to be parsed.
    pub(crate) fn node(&self) -> Node<'_> {
        self.tree.node(&self.source)
    }
}

impl<'de, T> Deserialize<'de> for Unparsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TreeVisitor<T>(PhantomData<T>);

        impl<'de, T> Visitor<'de> for TreeVisitor<T> {
            type Value = Unparsed<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of a YAML file")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<Unparsed<T>, D::Error> {
                let Some((tree, source)) = take_tree() else { return Err(explain_other_format()) };
                Ok(Unparsed { tree, source, form: PhantomData })
            }
        }

        deserializer.deserialize_newtype_struct(UNPARSED, TreeVisitor(PhantomData))
    }
}

/// A value that is there. Another reader parses it, from the file. Editors are shown the form `T`.
pub(crate) struct Elsewhere<T>(PhantomData<fn() -> T>);

impl<'de, T> Deserialize<'de> for Elsewhere<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SkippingVisitor;

        impl<'de> Visitor<'de> for SkippingVisitor {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of a YAML file")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
                Ok(())
            }
        }

        deserializer.deserialize_newtype_struct(ELSEWHERE, SkippingVisitor)?;
        Ok(Self(PhantomData))
    }
}

/// Settings that stand for another value, which they make if they agree with each other.
pub(crate) trait Build: Sized {
    /// The value.
    type Built;

    /// Builds the value, or returns every mistake that the types of the single settings do not show.
    fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors>;
}

/// A value that is built while its settings are read, so that its mistakes are reported with those of its neighbours.
/// Editors are shown the settings `W`.
pub(crate) struct Checked<W: Build>(pub(crate) W::Built);

impl<'de, W: Build + Deserialize<'de>> Deserialize<'de> for Checked<W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CheckedVisitor<W>(PhantomData<W>);

        impl<'de, W: Build + Deserialize<'de>> Visitor<'de> for CheckedVisitor<W> {
            type Value = Checked<W>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of a YAML file")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                deserializer: D,
            ) -> Result<Checked<W>, D::Error> {
                let written = PlacedVisitor(PhantomData).visit_newtype_struct(deserializer)?;
                W::build(written).map(Checked).map_err(|errors| {
                    FAILED.set(Some(errors));
                    de::Error::custom("the settings do not agree")
                })
            }
        }

        deserializer.deserialize_newtype_struct(CHECKED, CheckedVisitor(PhantomData))
    }
}

pub(super) fn explain_other_format<E: de::Error>() -> E {
    E::custom("a value with a place is read from a YAML file of arraign alone")
}

/// Deserializes a value that may be null: unlike an absent one, `null` is `Some`.
pub(crate) fn even_null<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator};

    use super::{Build, Checked, Elsewhere, Placed, Unparsed};

    /// Describes a type by the form of another.
    macro_rules! describe_as_inner {
        ($wrapper:ident $(, $bound:ident)?) => {
            impl<T: JsonSchema $(+ $bound)?> JsonSchema for $wrapper<T> {
                fn inline_schema() -> bool {
                    T::inline_schema()
                }

                fn schema_name() -> Cow<'static, str> {
                    T::schema_name()
                }

                fn schema_id() -> Cow<'static, str> {
                    T::schema_id()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    T::json_schema(generator)
                }
            }
        };
    }

    describe_as_inner!(Placed);
    describe_as_inner!(Unparsed);
    describe_as_inner!(Elsewhere);
    describe_as_inner!(Checked, Build);
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::json::Json;
    use crate::yaml::Document;

    /// Bounds in their order.
    #[derive(Debug, Deserialize)]
    struct Bounds {
        low: Placed<u32>,
        high: Placed<u32>,
    }

    impl Build for Bounds {
        type Built = std::ops::RangeInclusive<u32>;

        fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors> {
            let mut errors = LoadErrors::new();
            if *written.low > *written.high {
                errors.push(written.low.error("above `high`"));
                errors.push(written.high.error("below `low`"));
            }
            errors.or(*written.low..=*written.high)
        }
    }

    #[test]
    fn settings_that_do_not_agree_are_reported_with_their_neighbours() {
        let read = |text: &str| {
            let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
            let read = documents[0].root().decode_all::<Vec<Checked<Bounds>>>();
            read.map_err(|errors| errors.to_string())
        };
        assert_eq!(read("[{low: 1, high: 2}]").expect("bounds")[0].0, 1..=2);
        assert_eq!(
            read("[{low: 3, high: 2}, {low: x, high: 1}, {low: 5, high: 4}]").map(|_| ()),
            Err("s.yaml:1:8: above `high`\n\
                 s.yaml:1:17: below `low`\n\
                 s.yaml:1:27: expected a whole number from 0 up, found the text `x`\n\
                 s.yaml:1:46: above `high`\n\
                 s.yaml:1:55: below `low`"
                .to_owned())
        );
    }

    #[derive(Debug, Deserialize)]
    struct Settings {
        #[serde(alias = "names")]
        tools: Placed<Vec<Placed<String>>>,
        most: Option<Placed<u32>>,
        #[serde(default, deserialize_with = "even_null")]
        equals: Option<Json>,
        rule: Option<Unparsed<()>>,
    }

    fn read(text: &str) -> Result<Settings, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        documents[0].root().decode_all().map_err(|errors| errors.to_string())
    }

    #[test]
    fn values_know_their_places() {
        let settings = read("tools: [a, b]\nmost: 3\nrule: {x: [y]}").expect("settings");
        assert_eq!(settings.tools.place().to_string(), "s.yaml:1:8");
        assert_eq!(read("names: []").expect("settings").tools.key(), "names");
        assert_eq!(settings.tools[1].error("no tool").to_string(), "s.yaml:1:12: no tool");
        assert_eq!(settings.most.as_ref().map(|most| (**most, most.place().line())), Some((3, 2)));
        let rule = settings.rule.expect("a rule");
        assert_eq!(rule.node().get("x").expect("x").place().to_string(), "s.yaml:3:11");
    }

    #[test]
    fn null_is_absent_unless_a_value_may_be_null() {
        let settings = read("tools: []\nmost: ~\nrule: ~\nequals: ~").expect("settings");
        assert!(settings.most.is_none() && settings.rule.is_none());
        assert_eq!(settings.equals, Some(Json::Null));
        assert_eq!(read("tools: []").expect("settings").equals, None);
    }

    #[test]
    fn a_mistake_inside_has_its_own_place() {
        assert_eq!(
            read("tools: [a, [b]]").expect_err("a list"),
            "s.yaml:1:12: expected a text, found a list (help: write one text, not a list: a check or a rule can be written once for each text)"
        );
        assert_eq!(
            read("tools: [a]\nnames: [b]").expect_err("twice"),
            "s.yaml:2:1: `tools` is given twice, once by another name"
        );
        let json = serde_json::from_str::<Placed<u32>>("3").expect_err("not YAML");
        assert!(json.to_string().starts_with("a value with a place"), "{json}");
    }
}
