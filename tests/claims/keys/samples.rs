//! Values for keys, made from the schema: for each key, each form that the schema allows.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::hints::{COMPANIONS, HINTS, INNER};

use arraign::json::{self, Json, JsonMap, json};

/// A key that no mapping has.
pub(super) const STRANGER: &str = "zzqqzzqq";

/// The form of a check with its settings. Each check is walked by itself, and not in each place that may have checks.
const ENTRY_OF_EXPECT: &str = "#/definitions/entry_of_expect";

/// Forms that dozens of keys have. They are walked in the first place that has them.
const WALKED_ONCE: &[&str] = &["#/definitions/path_selector", "#/definitions/path_condition"];

/// A value that the schema allows, or one with a single key too many.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// The key that has the value: keys that `.` joins, with their forms in brackets, and one of several fixed values
    /// behind `=`.
    pub(super) path: String,
    pub(super) value: Json,
    /// The keys that the schema knows beside the stranger, if the value contains it.
    pub(super) known: Option<BTreeSet<String>>,
}

impl Sample {
    fn new(path: &str, value: Json) -> Self {
        Self { path: path.to_owned(), value, known: None }
    }

    fn map(self, change: impl FnOnce(Json) -> Json) -> Self {
        Self { value: change(self.value), ..self }
    }
}

/// Makes samples of the forms of a schema.
pub(super) struct Sampler<'s> {
    /// The schema, with the definitions that others refer to.
    root: &'s Json,
    inner: Vec<(&'static str, Json)>,
    hints: Vec<(&'static str, Json)>,
    companions: Vec<(&'static str, Json)>,
    /// The forms of [`WALKED_ONCE`] that were walked.
    walked: RefCell<BTreeSet<String>>,
}

fn parse_all(texts: &[(&'static str, &str)]) -> Vec<(&'static str, Json)> {
    texts.iter().map(|(path, text)| (*path, json::from_str(text).expect("JSON"))).collect()
}

impl<'s> Sampler<'s> {
    pub(super) fn new(root: &'s Json) -> Self {
        let [inner, hints, companions] = [INNER, HINTS, COMPANIONS].map(parse_all);
        Self { root, inner, hints, companions, walked: RefCell::default() }
    }

    /// Whether the form at `pointer` was walked. The next time it was.
    fn is_walked(&self, pointer: &str) -> bool {
        !self.walked.borrow_mut().insert(pointer.to_owned())
    }

    /// The samples of the value at `path`, a list of keys that `.` joins.
    pub(super) fn list_samples(&self, path: &str, schema: &Json) -> Vec<Sample> {
        self.list_forms(path, schema, &[ENTRY_OF_EXPECT])
    }

    /// The first sample without a stranger.
    fn take_form(&self, path: &str, schema: &Json, within: &[&str]) -> Json {
        let mut forms = self.list_forms(path, schema, within).into_iter();
        let form = forms.find(|sample| sample.known.is_none() && !sample.value.is_null());
        form.unwrap_or_else(|| panic!("no sample of {path}: {schema}")).value
    }

    fn list_forms(&self, path: &str, schema: &Json, within: &[&str]) -> Vec<Sample> {
        let mut hints = self.hints.iter().filter(|(end, _)| is_end(path, end)).peekable();
        if hints.peek().is_some() {
            return hints.map(|(_, hint)| Sample::new(path, hint.clone())).collect();
        }
        if let Some(pointer) = schema["$ref"].as_str() {
            return self.list_definition(path, pointer, within);
        }
        if let Some(values) = schema["enum"].as_array() {
            let values = values.iter().filter(|value| !value.is_null());
            return values.map(|value| Sample::new(&format!("{path}={value}"), value.clone())).collect();
        }
        if let Some(forms) = schema["anyOf"].as_array() {
            return self.list_alternatives(path, forms, within);
        }
        match schema["allOf"].as_array().map(<[Json]>::as_ref) {
            Some([only]) => self.list_forms(path, only, within),
            Some(branches) => {
                let branches = branches.iter();
                branches.flat_map(|branch| self.list_branch(path, schema, branch, within)).collect()
            }
            None => self.list_values(path, schema, within),
        }
    }

    fn list_definition(&self, path: &str, pointer: &str, within: &[&str]) -> Vec<Sample> {
        // Checks may contain checks, and lists of calls lists of calls: inside of itself, a form has one sample.
        if let Some((_, sample)) = self.inner.iter().find(|(form, _)| *form == pointer)
            && (within.contains(&pointer) || WALKED_ONCE.contains(&pointer) && self.is_walked(pointer))
        {
            return vec![Sample::new(path, sample.clone())];
        }
        let form = self.root.pointer(pointer.trim_start_matches('#')).expect("a definition");
        let name = pointer.rsplit('/').next().unwrap_or_default();
        self.list_forms(&format!("{path}({name})"), form, &[within, &[pointer]].concat())
    }

    fn list_alternatives(&self, path: &str, forms: &[Json], within: &[&str]) -> Vec<Sample> {
        let mut samples: Vec<Sample> =
            forms.iter().flat_map(|form| self.list_forms(path, form, within)).collect();
        // Where any value is allowed, no key is too many.
        samples.retain(|sample| sample.known.is_none() || !forms.contains(&json!(true)));
        // The loader may know the keys of one form where another one is written.
        let is_own = |sample: &Sample| {
            let stranger = format!(".{STRANGER}");
            let parent = sample.path.strip_suffix(&stranger).and_then(|parent| parent.strip_prefix(path));
            parent.is_some_and(|rest| !rest.contains('.'))
        };
        let own = samples.iter().filter(|sample| is_own(sample));
        let known: BTreeSet<String> = own.filter_map(|sample| sample.known.clone()).flatten().collect();
        for sample in samples.iter_mut().filter(|sample| is_own(sample)) {
            sample.known = Some(known.clone());
        }
        samples
    }

    /// The samples of a form that says its type.
    fn list_values(&self, path: &str, schema: &Json, within: &[&str]) -> Vec<Sample> {
        let kind = match &schema["type"] {
            Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
            kind => kind.as_str(),
        };
        let values = match kind {
            Some("object") => return self.list_mappings(path, schema, within),
            Some("array") => return self.list_lists(path, schema, within),
            Some("boolean") => vec![json!(true), json!(false)],
            Some("integer") => vec![json!(schema["minimum"].as_i64().unwrap_or(1).max(1))],
            Some("number") => vec![json!(0.5)],
            Some("string") => vec![json!("look")],
            Some("null") => vec![Json::Null],
            _ => vec![json!({"any": 1}), json!("look")],
        };
        values.into_iter().map(|value| Sample::new(path, value)).collect()
    }

    /// A form whose keys depend on the value of one key: `if` that key has a value, `then` these are its keys.
    fn list_branch(&self, path: &str, schema: &Json, branch: &Json, within: &[&str]) -> Vec<Sample> {
        let mut merged = branch["then"].clone();
        let (key, value) =
            branch["if"]["properties"].as_object().and_then(|keys| keys.iter().next()).expect("a key");
        merged["type"] = json!("object");
        merged["properties"][key] = json!({"enum": [value["const"]]});
        let mut required = vec![json!(key)];
        for list in [&schema["required"], &branch["then"]["required"]] {
            required
                .extend(list.as_array().into_iter().flatten().filter(|name| **name != key.as_str()).cloned());
        }
        merged["required"] = Json::Array(required);
        let kind = value["const"].as_str().unwrap_or_default();
        self.list_mappings(&format!("{path}({kind})"), &merged, within)
    }

    fn list_lists(&self, path: &str, schema: &Json, within: &[&str]) -> Vec<Sample> {
        let least = schema["minItems"].as_u64().unwrap_or(1).max(1);
        let fill = |item: Json| Json::Array((0..least).map(|_| item.clone()).collect());
        self.list_forms(path, &schema["items"], within).into_iter().map(|item| item.map(fill)).collect()
    }

    /// A mapping for each key and each of its values, beside the keys that must be there, and one with a stranger.
    fn list_mappings(&self, path: &str, schema: &Json, within: &[&str]) -> Vec<Sample> {
        let below = |name: &str| format!("{path}.{name}");
        let Some(properties) = schema["properties"].as_object() else {
            return match &schema["additionalProperties"] {
                Json::Object(_) => {
                    let values = self.list_forms(&below("look"), &schema["additionalProperties"], within);
                    values.into_iter().map(|sample| sample.map(|value| json!({"look": value}))).collect()
                }
                _ => vec![Sample::new(path, json!({"type": "object"}))],
            };
        };
        let mut base = JsonMap::new();
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            base.insert(name.to_owned(), self.take_form(&below(name), &properties[name], within));
        }
        let mut samples = Vec::new();
        for (name, form) in properties {
            for sample in self.list_forms(&below(name), form, within) {
                let mut mapping = base.clone();
                // A fixed value of the key itself may need other keys than the rest of its values.
                let own = sample.path.strip_prefix(&below(name)).is_some_and(|rest| !rest.contains('.'));
                let value = if own { &sample.path } else { &below(name) };
                let companions = self.companions.iter().filter(|(end, _)| {
                    [&below("*"), &below(name), value].into_iter().any(|path| is_end(path, end))
                });
                for (key, value) in companions.flat_map(|(_, beside)| beside.as_object().expect("keys")) {
                    mapping.insert(key.clone(), value.clone());
                }
                samples.push(sample.map(|value| {
                    mapping.insert(name.clone(), value);
                    mapping.retain(|_, value| !value.is_null());
                    Json::Object(mapping)
                }));
            }
        }
        if schema["additionalProperties"] == json!(false) {
            samples.push(add_stranger(path, schema, &samples, base));
        }
        samples
    }
}

/// A mapping with a key too many: one of the samples, or the keys that must be there.
fn add_stranger(path: &str, schema: &Json, samples: &[Sample], base: JsonMap) -> Sample {
    let whole = samples.iter().find(|sample| sample.known.is_none()).map(|sample| sample.value.clone());
    let is_single = schema["maxProperties"] == json!(1);
    let mut value = whole.filter(|_| !is_single).unwrap_or(Json::Object(base));
    value[STRANGER] = json!(1);
    let known = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(JsonMap::keys)
        .map(ToString::to_string)
        .collect();
    Sample { path: format!("{path}.{STRANGER}"), value, known: Some(known) }
}

/// Whether the keys at the end of `path` are those of `end`, which begins with a key or with a form in brackets.
fn is_end(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.') || end.starts_with('('))
}
