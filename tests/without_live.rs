//! Without the feature `live`, a case that asks an agent says what is missing.

#![cfg(not(feature = "live"))]

#[test]
fn an_agent_needs_the_feature() {
    let case = "{agent: support, input: x, expect: [{tool_blocklist: [rm]}]}";
    let errors = arraign::Harness::new("evals").parse(case).err().expect("it is refused").to_string();
    assert!(
        errors.contains(":1:9: `agent` needs arraign's feature `live` (help: in Cargo.toml: "),
        "{errors}"
    );
}
