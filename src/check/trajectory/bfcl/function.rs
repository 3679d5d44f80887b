//! A declared function, and whether a call of it has acceptable arguments.

use super::python::{PythonType, is_among, list_elements, python_equal, standardize, standardize_text};
use crate::json::{Json, JsonMap};
use crate::place::LoadError;
use crate::trace::Call;
use crate::yaml::{Node, Placed};

/// The mark of an argument that may be left out, among its acceptable values.
const OMITTED: &str = "";

/// A declared function.
pub(super) struct BfclFunction {
    pub(super) name: String,
    required: Vec<String>,
    parameters: Vec<(String, Parameter)>,
}

/// The declared type of a parameter, and of the elements of a list. `None`: not one of BFCL's.
#[derive(Clone, Copy)]
struct Parameter {
    kind: Option<PythonType>,
    element: Option<PythonType>,
}

/// Parses a declared function.
pub(super) fn parse_function(declared: &Placed<JsonMap>) -> Result<BfclFunction, LoadError> {
    let Some(name) = declared.get("name").and_then(Json::as_str) else {
        return Err(declared.error("a function has a `name` and `parameters`"));
    };
    let parameters = declared.get("parameters");
    let properties = parameters.and_then(|parameters| parameters.get("properties")?.as_object());
    let required = parameters.and_then(|parameters| parameters.get("required")?.as_array());
    Ok(BfclFunction {
        name: name.to_owned(),
        required: required.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect(),
        parameters: properties
            .into_iter()
            .flatten()
            .map(|(name, property)| (name.to_string(), parse_parameter(property)))
            .collect(),
    })
}

fn parse_parameter(property: &Json) -> Parameter {
    let kind = parse_type(property);
    let element = property.get("items").filter(|_| kind == Some(PythonType::List)).and_then(parse_type);
    Parameter { kind, element }
}

fn parse_type(property: &Json) -> Option<PythonType> {
    PythonType::of_declared(property.get("type")?.as_str()?)
}

impl BfclFunction {
    fn parameter(&self, name: &str) -> Option<Parameter> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, parameter)| *parameter)
    }

    /// The error for an expected argument whose declared type is not one of BFCL's.
    pub(super) fn require_known_type(&self, argument: &str, values: Node<'_>) -> Result<(), LoadError> {
        match self.parameter(argument) {
            Some(Parameter { kind: None, .. }) => {
                let error = values.error(format!("the declared type of `{argument}` is not one of BFCL's"));
                Err(error.help("the types are string, integer, float, boolean, array, tuple, dict and any"))
            }
            _ => Ok(()),
        }
    }

    /// Returns what is wrong with `call`, or `None` if it is acceptable.
    pub(super) fn find_fault(&self, call: &Call, accepted: &[(String, Vec<Json>)]) -> Option<String> {
        if call.name != self.name {
            return Some(format!("`{}` is called, not `{}`", call.name, self.name));
        }
        let Some(Json::Object(passed)) = call.arguments.json() else {
            return Some("the arguments are no JSON object".to_owned());
        };
        let missing = self.required.iter().find(|name| !passed.contains_key(name));
        if let Some(name) = missing {
            // Arguments are compared in the order of the call, so that the first wrong one is named.
            return Some(format!("the required argument {name} is missing"));
        }
        let wrong = passed.iter().find_map(|(name, value)| self.find_wrong(name, value, accepted));
        wrong.or_else(|| find_omitted(passed, accepted))
    }

    fn find_wrong(&self, name: &str, value: &Json, accepted: &[(String, Vec<Json>)]) -> Option<String> {
        let values = accepted.iter().find(|(known, _)| known == name).map(|(_, values)| values);
        let (Some(parameter), Some(values)) = (self.parameter(name), values) else {
            return Some(format!("{name}: not expected"));
        };
        let value = match (parameter.kind, value) {
            // An int is a float, but not the other way round.
            (Some(PythonType::Float), Json::Number(number)) if number.is_written_as_integer() => {
                number.as_f64().map_or_else(|| value.clone(), Json::from)
            }
            _ => value.clone(),
        };
        let Some(is_variable) = find_type(&value, values, parameter.kind, parameter.element) else {
            return Some(format!("{name}: {value} is of another type"));
        };
        let accepts = if is_variable { is_among(&value, values) } else { parameter.accepts(&value, values) };
        (!accepts).then(|| format!("{name}: {value} -> one of {} expected", Json::from(values.clone())))
    }
}

fn find_omitted(passed: &JsonMap, accepted: &[(String, Vec<Json>)]) -> Option<String> {
    let mut missing = accepted.iter().filter(|(name, _)| !passed.contains_key(name));
    let omitted = missing.find(|(_, values)| !is_among(&Json::from(OMITTED), values));
    omitted.map(|(name, _)| format!("the argument {name} is missing"))
}

/// Whether the value stands for a variable, which is compared plainly: the ground truth has another type than
/// the declaration. `None` if the type is wrong.
fn find_type(
    value: &Json,
    values: &[Json],
    declared: Option<PythonType>,
    element: Option<PythonType>,
) -> Option<bool> {
    // The ground truth lists an empty text for an argument that may be left out: it says nothing about the type.
    let expected = values.iter().find(|value| value.as_str() != Some(OMITTED)).map(PythonType::of_value);
    let is_variable = expected.is_some() && expected != declared;
    let own = Some(PythonType::of_value(value));
    if own == declared {
        let Some(element) = element else { return Some(is_variable) };
        return values.iter().any(|one| has_elements_of(value, one, element)).then_some(is_variable);
    }
    (expected.is_some() && own == expected).then_some(true)
}

/// Whether all elements of a list have the declared type, or that of an acceptable list. What is no list accepts any.
fn has_elements_of(value: &Json, accepted: &Json, element: PythonType) -> bool {
    let (Json::Array(elements), Json::Array(accepted)) = (value, accepted) else { return true };
    elements.iter().all(|one| find_type(one, accepted, Some(element), None).is_some())
}

impl Parameter {
    fn accepts(self, value: &Json, values: &[Json]) -> bool {
        match (self.kind, self.element, value) {
            (Some(PythonType::Dict), _, Json::Object(fields)) => accept_dict(fields, values),
            (Some(PythonType::List), Some(PythonType::Dict), Json::Array(elements)) => {
                values.iter().any(|one| accept_dicts(elements, one))
            }
            (Some(PythonType::Str), _, Json::String(text)) => {
                let wanted = standardize(text);
                values.iter().filter_map(Json::as_str).any(|one| standardize(one) == wanted)
            }
            (Some(PythonType::List), _, Json::Array(elements)) => {
                let elements = Json::Array(elements.iter().map(standardize_text).collect());
                let lists = values.iter().filter_map(list_elements);
                lists
                    .map(|list| list.iter().map(standardize_text).collect::<Json>())
                    .any(|list| python_equal(&elements, &list))
            }
            _ => is_among(value, values),
        }
    }
}

/// Whether one of the dicts accepts the fields. Each key of a dict has its own acceptable values.
fn accept_dict(fields: &JsonMap, dicts: &[Json]) -> bool {
    dicts.iter().filter_map(Json::as_object).any(|dict| {
        // Each field must be acceptable, and no field that must be there may be missing.
        fields.iter().all(|(key, value)| accept_field(dict.get(key), value))
            && dict.iter().all(|(key, values)| fields.contains_key(key) || may_lack(values))
    })
}

fn accept_field(accepted: Option<&Json>, value: &Json) -> bool {
    let values = accepted.and_then(list_elements).unwrap_or_default();
    let values: Vec<Json> = values.iter().map(standardize_text).collect();
    is_among(&standardize_text(value), &values)
}

/// Whether a key with these acceptable values may be missing. Every text contains the empty one.
fn may_lack(values: &Json) -> bool {
    match values {
        Json::Array(values) => is_among(&Json::from(OMITTED), values),
        values => values.is_string(),
    }
}

/// Whether a list of dicts accepts the elements, one by one.
fn accept_dicts(elements: &[Json], accepted: &Json) -> bool {
    let Some(dicts) = list_elements(accepted) else { return false };
    elements.len() == dicts.len()
        && elements.iter().zip(dicts).all(|(element, dict)| {
            element.as_object().is_some_and(|fields| accept_dict(fields, std::slice::from_ref(&dict)))
        })
}
