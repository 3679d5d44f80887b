//! Holds our judge of plain words against the validator, on schemas, values and patterns from a generator.

use super::pattern::{NotPlain, PlainPattern};
use super::plain::PlainSchema;
use super::validator::FullSchema;
use super::{Fault, Flaw, Origin, Raw, Schema, SchemaEngine};
use crate::json::{Json, JsonMap, json};

/// A generator of choices: `SplitMix64`, the same on every machine.
struct Choices(u64);

impl Choices {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

const NAMES: &[&str] = &["a", "b", "id", "a/b", "~", "type", "maximum", "properties", "é", ""];
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1e0",
    "2",
    "3",
    "-1",
    "0.1",
    "0.10",
    "0.10000000000000001",
    "0.5",
    "2.5",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "100000000000000000000",
    "100000000000000000001",
    "1e20",
    "1e300",
    "1e400",
    "-1e400",
    "5e-324",
    "1e-400",
];
const TEXTS: &[&str] =
    &["", "a", "ab", "abc", "ord_1", "ORD-1", "ä", "🙂", "🙂🙂", "a\n", "e\u{301}", "1", "٣", "a b"];
const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];
const PATTERNS: &[&str] = &[
    "a",
    "^a",
    "^a$",
    "^(a|ab)$",
    r"^\S*$",
    r"^\d+$",
    r"\w",
    r"^[A-Z]{2,}-\d$",
    r"^ord_[0-9]+$",
    r"^.$",
    r"^.{2}$",
    r"[^a-c]",
    r"\bb\b",
    r"\B",
    r"^[\w-]+$",
    r"^[^\s/]*$",
    r"\p{L}",
    r"^\P{L}+$",
    r"^[\u00e4-\u00ff]$",
    r"\x61",
    "(?:a|b)+?c",
    "a$",
    "",
];
const SIZES: &[&str] = &["0", "1", "1.0", "2", "2e0", "3", "18446744073709551616", "1e300"];

fn number(text: &str) -> Json {
    crate::json::parse(text).expect(text)
}

fn generate_value(choices: &mut Choices, depth: usize) -> Json {
    match choices.below(if depth == 0 { 5 } else { 9 }) {
        0 => Json::Null,
        1 => choices.one_in(2).into(),
        2 | 5 => number(choices.pick(NUMBERS)),
        3 | 6 => choices.pick(TEXTS).into(),
        4 => json!({}),
        7 => (0..choices.below(4)).map(|_| generate_value(choices, depth - 1)).collect::<Vec<_>>().into(),
        _ => {
            let names: Vec<&str> = (0..choices.below(4)).map(|_| choices.pick(NAMES)).collect();
            let mut object = JsonMap::new();
            for name in names {
                object.insert(name.to_owned(), generate_value(choices, depth - 1));
            }
            Json::Object(object)
        }
    }
}

fn generate_schema(choices: &mut Choices, depth: usize) -> Json {
    if choices.one_in(12) {
        return choices.one_in(2).into();
    }
    let mut schema = JsonMap::new();
    for _ in 0..=choices.below(4) {
        let word = choices.pick(WORDS);
        if let Some(value) = generate_word(choices, word, depth) {
            schema.insert(word.to_owned(), value);
        }
    }
    Json::Object(schema)
}

const WORDS: &[&str] = &[
    "type",
    "type",
    "enum",
    "const",
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maxProperties",
    "minProperties",
    "uniqueItems",
    "pattern",
    "required",
    "properties",
    "properties",
    "additionalProperties",
    "items",
    "items",
    "title",
    "format",
    "x-note",
    "default",
];

fn generate_word(choices: &mut Choices, word: &str, depth: usize) -> Option<Json> {
    let names = |choices: &mut Choices| {
        let mut names: Vec<&str> = NAMES.iter().copied().filter(|_| choices.one_in(4)).collect();
        if choices.one_in(2) {
            names.reverse();
        }
        names
    };
    Some(match word {
        "type" if choices.one_in(3) => {
            let first = choices.pick(TYPES);
            let second = choices.pick(TYPES);
            if first == second { json!([first]) } else { json!([first, second]) }
        }
        "type" => choices.pick(TYPES).into(),
        "enum" => (0..choices.below(4)).map(|_| generate_value(choices, 1)).collect::<Vec<_>>().into(),
        "const" | "default" => generate_value(choices, 2),
        "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" => number(choices.pick(NUMBERS)),
        "uniqueItems" => (!choices.one_in(4)).into(),
        "pattern" => choices.pick(PATTERNS).into(),
        "required" => json!(names(choices)),
        "properties" if depth > 0 => {
            let mut properties = JsonMap::new();
            for name in names(choices) {
                properties.insert(name.to_owned(), generate_schema(choices, depth - 1));
            }
            Json::Object(properties)
        }
        "additionalProperties" if depth == 0 || choices.one_in(2) => choices.one_in(4).into(),
        "items" | "additionalProperties" if depth > 0 => generate_schema(choices, depth - 1),
        "properties" | "items" => return None,
        "title" | "format" | "x-note" => "email".into(),
        _ => number(choices.pick(SIZES)),
    })
}

fn origin() -> Origin {
    Origin::new(None, "/schema")
}

fn list_faults(engine: SchemaEngine, schema: &Json, values: &[Json]) -> Vec<Vec<Fault>> {
    let schema = Schema { engine, raw: Raw { json: schema.clone(), origin: origin() } };
    let list = |value| schema.faults(value, "argument").expect("it can be decided").listed;
    values.iter().map(list).collect()
}

/// The number of pairs of a schema and a value.
const SCHEMAS: usize = 3_000;
const VALUES: usize = 10;

#[test]
fn plain_words_are_judged_as_the_validator_judges_them() {
    let mut choices = Choices(1);
    let mut broken = 0;
    for _ in 0..SCHEMAS {
        let schema = generate_schema(&mut choices, 3);
        let values: Vec<Json> = (0..VALUES).map(|_| generate_value(&mut choices, 3)).collect();
        let plain =
            PlainSchema::compile(&schema, false).unwrap_or_else(|refused| panic!("{schema}: {refused:?}"));
        let full = FullSchema::compile(&schema, false).unwrap_or_else(|flaws| panic!("{schema}: {flaws:?}"));
        let ours = list_faults(SchemaEngine::Plain(plain), &schema, &values);
        let theirs = list_faults(SchemaEngine::Full(full), &schema, &values);
        for ((ours, theirs), value) in ours.iter().zip(&theirs).zip(&values) {
            // The whole of each violation: places, constraints, messages and help.
            assert_eq!(format!("{ours:#?}"), format!("{theirs:#?}"), "{schema}\n{value}");
            broken += usize::from(!ours.is_empty());
        }
    }
    // Neither verdict is rare.
    let all = SCHEMAS * VALUES;
    assert!(broken > all / 4 && broken < 3 * all / 4, "{broken} of {all}");
}

/// A value of the wrong type in place of the value of one keyword.
fn break_schema(choices: &mut Choices, schema: &mut Json) {
    let Json::Object(entries) = schema else { return };
    let keys: Vec<String> = entries.keys().map(ToString::to_string).collect();
    if keys.is_empty() {
        return;
    }
    let key = choices.pick(&keys);
    // `type` and what is no schema are refused when a schema is read, before it is compiled.
    match (key.as_str(), &mut entries[key.as_str()]) {
        ("properties", Json::Object(properties)) if !properties.is_empty() => {
            properties.values_mut().for_each(|schema| break_schema(choices, schema));
        }
        ("items" | "additionalProperties", schema @ Json::Object(_)) => break_schema(choices, schema),
        ("type" | "const" | "default" | "x-note" | "items" | "additionalProperties", _) => {}
        ("required", names) => *names = choices.pick(&[json!(["a", "a"]), json!("a"), json!([1])]),
        (_, value) => {
            let wrong =
                [json!(true), json!("many"), json!(-1), json!(2.5), json!(null), json!({}), json!("(")];
            *value = choices.pick(&wrong);
        }
    }
}

#[test]
fn a_flawed_schema_is_refused_as_the_validator_refuses_it() {
    let mut choices = Choices(2);
    let mut refused = 0;
    for _ in 0..2_000 {
        let mut schema = generate_schema(&mut choices, 2);
        break_schema(&mut choices, &mut schema);
        let describe = |flaws: Vec<Flaw>| {
            let mut all: Vec<String> = flaws.iter().map(|flaw| format!("{flaw:?}")).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let ours = PlainSchema::compile(&schema, false).map_err(|refused| describe(refused.flaws)).err();
        let theirs = FullSchema::compile(&schema, false).map_err(describe).err();
        assert_eq!(ours, theirs, "{schema}");
        refused += usize::from(ours.is_some());
    }
    assert!(refused > 500, "{refused}");
}

/// Parts of patterns, right and wrong ones.
const PARTS: &[&str] = &[
    "a",
    "b",
    "é",
    "🙂",
    ".",
    "^",
    "$",
    "|",
    "(",
    "(?:",
    ")",
    "*",
    "+",
    "?",
    "{2}",
    "{1,2}",
    "{2,1}",
    "{,2}",
    "{0,}",
    "[",
    "]",
    "[^",
    "[a-c]",
    "[b-",
    "-",
    "&&",
    "--",
    "~~",
    r"\d",
    r"\D",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\b",
    r"\B",
    r"\.",
    r"\-",
    r"\/",
    r"\_",
    r"\%",
    r"\<",
    r"\e",
    r"\a",
    r"\0",
    r"\1",
    r"\n",
    r"\x61",
    r"\x6",
    r"\u0061",
    r"\u{61}",
    r"\ud83d",
    r"\cA",
    r"\p{L}",
    r"\p{Lu}",
    r"\pL",
    r"\p{Nonsense}",
    r"\P{Script=Greek}",
    "(?=a)",
    "(?!b)",
    "(?<n>a)",
    "(?i)",
    r"\k<n>",
    "}",
    "{",
    r"\\",
    " ",
    "#",
    "\\",
];

const PATTERN_TEXTS: &[&str] = &[
    "", "a", "b", "ab", "aab", "é", "🙂", "A", "1", "٣", "-", "&", "_", "a-b", "\u{a0}", "\r", "\n", "a\n",
    "aé", "]", "^", "~", "\\", " ",
];

#[test]
fn a_pattern_matches_as_the_validator_matches_it() {
    let mut choices = Choices(3);
    let mut compiled = 0;
    for _ in 0..4_000 {
        let pattern: String = (0..=choices.below(6)).map(|_| choices.pick(PARTS)).collect();
        let full = FullSchema::compile(&json!({ "pattern": pattern }), false);
        match (PlainPattern::compile(&pattern), full) {
            (Ok(plain), Ok(full)) => {
                compiled += 1;
                let raw = Raw { json: json!({}), origin: origin() };
                for text in PATTERN_TEXTS {
                    let theirs = full.accepts(&(*text).into(), &raw).expect("it can be decided");
                    assert_eq!(plain.is_match(text), theirs, "{pattern:?} {text:?}");
                }
            }
            (Err(NotPlain::Beyond), _) | (Err(NotPlain::Invalid), Err(_)) => {}
            (plain, full) => panic!("{pattern:?}: {plain:?} {:?}", full.err()),
        }
    }
    assert!(compiled > 800, "{compiled}");
}
