//! Redacts credentials from request text.

use crate::secrets::Secrets;

/// Adds the value of a header, and the key after its scheme: a server may echo either.
pub(super) fn add_header(secrets: &mut Secrets, name: &str, value: &str) {
    secrets.add_value(name, value);
    if let Some((_, key)) = value.trim().split_once(' ') {
        secrets.add_value(name, key.trim());
    }
}

/// Removes user info, query and fragment from a URL: they may contain keys.
pub(super) fn strip_url(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let host_end = rest.find('/').unwrap_or(rest.len());
    // An `@` in the path belongs to the path; only one before it ends user info.
    let host_start = rest[..host_end].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host_start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_may_be_a_key() {
        assert_eq!(strip_url("http://me:pass@host:1/v1?key=sk-1#x"), "http://host:1/v1");
        assert_eq!(strip_url("https://host?key=a@b"), "https://host");
        assert_eq!(strip_url("host/v1?key=1"), "host/v1");
        assert_eq!(strip_url("é://@"), "é://");
    }

    #[test]
    fn a_key_is_hidden_with_and_without_its_scheme() {
        let mut secrets = Secrets::default();
        add_header(&mut secrets, "authorization", "Bearer sk-123456789");
        assert_eq!(secrets.mask_text("bad key sk-123456789".into()), "bad key [authorization]");
        assert_eq!(secrets.mask_text("Bearer sk-123456789".into()), "[authorization]");
        assert_eq!(secrets.find_in("{\"echo\":\"sk-123456789\"}"), Some("authorization"));
        assert_eq!(secrets.find_in("Bearer"), None);
    }
}
