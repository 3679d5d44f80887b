//! The macro `json!`.

/// Builds a [`Json`](crate::json::Json) from JSON with expressions in it, as `serde_json::json!` does.
///
/// ```
/// use arraign_trace::json::json;
///
/// let id = 7;
/// assert_eq!(json!({"id": id, "tags": ["a", null], "total": id * 2}).to_string(), r#"{"id":7,"tags":["a",null],"total":14}"#);
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! json_macro {
    // The elements of a list: those that are built, then those that are left.
    (@list [$($built:expr,)*]) => { ::std::vec![$($built,)*] };
    (@list [$($built:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::json::json!(@list [$($built,)* $crate::json::json!(null),] $($($rest)*)?)
    };
    (@list [$($built:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::json!(@list [$($built,)* $crate::json::json!([$($inner)*]),] $($($rest)*)?)
    };
    (@list [$($built:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::json!(@list [$($built,)* $crate::json::json!({$($inner)*}),] $($($rest)*)?)
    };
    (@list [$($built:expr,)*] $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::json!(@list [$($built,)* $crate::json::json!($value),] $($($rest)*)?)
    };

    // The entries of an object: the object, the tokens of a key, then what is left.
    (@entries $map:ident ()) => {};
    (@entries $map:ident ($($key:tt)+) : null $(, $($rest:tt)*)?) => {
        $map.insert($crate::json::JsonText::from($($key)+).into_owned(), $crate::json::json!(null));
        $crate::json::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $map.insert($crate::json::JsonText::from($($key)+).into_owned(), $crate::json::json!([$($inner)*]));
        $crate::json::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $map.insert($crate::json::JsonText::from($($key)+).into_owned(), $crate::json::json!({$($inner)*}));
        $crate::json::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert($crate::json::JsonText::from($($key)+).into_owned(), $crate::json::json!($value));
        $crate::json::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json::json!(@entries $map ($($key)* $next) $($rest)*);
    };

    (null) => { $crate::json::Json::Null };
    ([]) => { $crate::json::Json::Array(::std::vec::Vec::new()) };
    ([$($items:tt)+]) => { $crate::json::Json::Array($crate::json::json!(@list [] $($items)+)) };
    ({}) => { $crate::json::Json::Object($crate::json::JsonObject::new()) };
    ({$($entries:tt)+}) => {{
        let mut object = $crate::json::JsonObject::new();
        $crate::json::json!(@entries object () $($entries)+);
        $crate::json::Json::Object(object)
    }};
    ($value:expr) => { $crate::json::to_json(&$value).expect("it is a value of JSON") };
}
