//! The places in a JSON value.

use arraign_trace::json::Json;
/// JSON pointers to each value in `value`, itself the last.
pub(crate) fn places(value: &Json) -> Vec<String> {
    let mut places = Vec::new();
    collect(value, String::new(), &mut places);
    places
}

fn collect(value: &Json, at: String, places: &mut Vec<String>) {
    let below: Vec<(String, &Json)> = match value {
        Json::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        Json::Object(map) => {
            map.iter().map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item)).collect()
        }
        _ => Vec::new(),
    };
    for (step, item) in below {
        collect(item, format!("{at}/{step}"), places);
    }
    places.push(at);
}
