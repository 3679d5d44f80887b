//! The places in a JSON value.

use serde_json::Value;

/// JSON pointers to each value in `value`, itself the last.
pub(crate) fn places(value: &Value) -> Vec<String> {
    let mut places = Vec::new();
    collect(value, String::new(), &mut places);
    places
}

fn collect(value: &Value, at: String, places: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Value::Object(map) => {
            map.iter().map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item)).collect()
        }
        _ => Vec::new(),
    };
    for (step, item) in below {
        collect(item, format!("{at}/{step}"), places);
    }
    places.push(at);
}
