//! `args_valid` against the outcomes of Assay 6.21.0 on our inputs, and the lines that it points at.

#[path = "../fixtures/assay_goldens.rs"]
mod goldens;

use std::path::Path;

use arraign::__internals::check::{BUILTIN, Check, CheckKind, Registry, Scope};
use arraign::__internals::place::{LoadErrors, Source};
use arraign::__internals::source::Files;
use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, json};

fn kind(name: &str) -> &'static CheckKind {
    BUILTIN.iter().find(|known| known.name == name).expect("a built-in check")
}

fn read(name: &str, settings: Node<'_>, folder: &Path) -> Result<Box<dyn Check>, LoadErrors> {
    let registry = Registry::default();
    let files = Files::new(folder, folder);
    (kind(name).read)(
        settings,
        &Scope {
            kinds: &registry,
            files: &files,
            folder,
            tables: &arraign::__internals::check::Tables::default(),
            script: arraign::__internals::check::ScriptInScope::Absent,
        },
    )
}

fn parse(text: &str) -> Document {
    Document::parse(&Source::new("case.yaml", text)).expect("valid YAML").remove(0)
}

mod with_json_schema {
    use std::fs;

    use arraign::__internals::evidence::Evidence;
    use arraign::__internals::outcome::{Outcome, Violation};
    use arraign::trace::{Arguments, Call, Trace};

    use super::*;

    fn trace(calls: &[(&str, Json)]) -> Trace {
        let mut trace = Trace::default();
        for (turn, (tool, arguments)) in calls.iter().enumerate() {
            trace.push_call(Call::new(*tool, Arguments::from_json(arguments.clone()), turn + 1));
        }
        trace
    }

    fn check(settings: &str, folder: &Path, trace: &Trace) -> Outcome {
        let document = parse(settings);
        let check = read("args_valid", document.root(), folder).expect("the settings are right");
        check.check(&Evidence::of(trace)).expect("it can be decided")
    }

    #[test]
    fn goldens_agree_but_for_the_listed_differences() {
        for golden in goldens::list() {
            goldens::compare(&golden).expect("the outcome that the golden has");
        }
    }

    #[test]
    fn each_listed_difference_is_one() {
        let goldens = goldens::list();
        for (id, ours, _) in goldens::DIFFERENCES {
            let golden = goldens.iter().find(|golden| golden["id"] == *id);
            assert_ne!(golden.expect("it is among the goldens")["outcome"], *ours, "{id}");
        }
    }

    /// Line, constraint, argument and suggestion of each violation.
    fn lines(policy: &str, tool: &str, arguments: Json) -> Vec<(usize, String, String, String)> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::write(dir.path().join("p.yaml"), policy).expect("a file");
        let outcome = check("policy: p.yaml", dir.path(), &trace(&[(tool, arguments)]));
        let line = |violation: Violation| {
            let place = violation.policy_at.expect("a place in the policy");
            assert_eq!(place.file, "p.yaml");
            let text = |text: Option<String>| text.unwrap_or_default();
            (place.line, text(violation.constraint), text(violation.argument), text(violation.suggestion))
        };
        outcome.violations.into_iter().map(line).collect()
    }

    fn row(
        line: usize,
        constraint: &str,
        argument: &str,
        suggestion: &str,
    ) -> (usize, String, String, String) {
        (line, constraint.to_owned(), argument.to_owned(), suggestion.to_owned())
    }

    #[test]
    fn the_first_shape_points_at_each_constraint_in_its_own_words() {
        let policy = "\
tools:
  apply_discount:
    arguments:
      percent:
        type: number
        min: 0

        max: 30
      order:
        type: object
        properties:
          id:
            required: true
      code: {$ref: '#/$defs/code'}
    additional_arguments: false
$defs:
  code:
    min_length: 3
";
        let arguments = json!({"percent": 50, "order": {}, "code": "x", "percnt": 1});
        assert_eq!(
            lines(policy, "apply_discount", arguments),
            [
                row(18, "min_length: 3", "code", "use at least 3 characters for `code`"),
                row(13, "required: true", "/order/id", "pass `/order/id`"),
                row(8, "max: 30", "percent", "use percent <= 30"),
                row(
                    15,
                    "additional_arguments: false",
                    "percnt",
                    "leave out `percnt`; did the agent mean `percent`?"
                ),
            ]
        );
    }

    #[test]
    fn the_second_shape_points_at_schemas_definitions_and_denials() {
        let policy = "\
version: \"2.0\"
tools:
  deny:
    - exec
    - '*_raw'
schemas:
  pay:
    type: object
    required: [to]
    properties:
      items:
        type: array
        items:
          properties:
            sku: {$ref: '#/$defs/sku'}
  $defs:
    sku:
      pattern: '^[A-Z]+$'
";
        assert_eq!(
            lines(policy, "pay", json!({"items": [{"sku": "A"}, {"sku": "b"}]})),
            [
                row(9, "required: to", "to", "pass `to`"),
                row(
                    18,
                    "pattern: ^[A-Z]+$",
                    "/items/1/sku",
                    "use a value that matches `^[A-Z]+$` for `/items/1/sku`"
                ),
            ]
        );
        let denied = &lines(policy, "read_raw", json!({}))[0];
        assert_eq!((denied.0, denied.1.as_str()), (5, "deny: *_raw"));
    }

    #[test]
    fn the_third_shape_points_at_its_schemas() {
        let policy = "pay:\n  properties:\n    n:\n      minimum: 1\n      multipleOf:\n        5\n";
        assert_eq!(
            lines(policy, "pay", json!({"n": -2})),
            [
                row(4, "minimum: 1", "n", "use n >= 1"),
                row(5, "multipleOf: 5", "n", "use a multiple of 5 for `n`"),
            ]
        );
    }

    #[test]
    fn an_embedded_schema_with_its_own_id_is_found_again() {
        let policy = "\
pay:
  $id: https://example.com/pay
  properties:
    n: {$ref: amount}
  $defs:
    amount:
      $id: amount
      maximum: 3
";
        assert_eq!(lines(policy, "pay", json!({"n": 4})), [row(8, "maximum: 3", "n", "use n <= 3")]);
    }

    #[test]
    fn inline_constraints_point_into_the_settings() {
        let settings = "tool: pay\nconstraints:\n  n: {max: 3}\n  'a/b': {required: true}\n";
        let outcome = check(settings, Path::new("."), &trace(&[("pay", json!({"n": 4}))]));
        let at: Vec<&str> = outcome.violations.iter().map(|violation| violation.at.as_str()).collect();
        assert_eq!(at, ["/constraints/a~1b/required", "/constraints/n/max"]);
        assert!(outcome.violations.iter().all(|violation| violation.policy.is_none()));
    }

    #[test]
    fn a_policy_is_opened_once_and_compiled_for_each_reading_of_format() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let policy = "pay: {properties: {to: {format: email}, n: {minimum: 1}}}";
        fs::write(dir.path().join("p.yaml"), policy).expect("a file");
        let registry = Registry::default();
        let files = Files::new(dir.path(), dir.path());
        let scope = Scope {
            kinds: &registry,
            files: &files,
            folder: dir.path(),
            tables: &arraign::__internals::check::Tables::default(),
            script: arraign::__internals::check::ScriptInScope::Absent,
        };
        let calls = trace(&[("pay", json!({"to": "nobody"}))]);
        let count = |settings: &str| {
            let check = (kind("args_valid").read)(parse(settings).root(), &scope).expect("a right policy");
            check.check(&Evidence::of(&calls)).expect("it can be decided").violations.len()
        };
        let formats = "policy: p.yaml\nformats: true";
        assert_eq!((count("policy: p.yaml"), count(formats), count("policy: p.yaml")), (0, 1, 0));
        assert_eq!(files.opened(), 1);
    }

    #[test]
    fn all_mistakes_of_a_policy_are_reported_with_their_places() {
        let document = parse(
            "policy:\n  tools:\n    a: {arguments: {n: {maxx: 1}}}\n    b: {arguments: {n: {pattern: '('}}}\n    c: {argumnts: {}}\n",
        );
        let errors = read("args_valid", document.root(), Path::new(".")).err().expect("three mistakes");
        let lines: Vec<usize> = errors.iter().map(|error| error.place.line()).collect();
        assert_eq!(lines, [3, 4, 5], "{errors}");
    }
}
