//! One case, many rows: `cases: rows.csv`, `each:` and `include:`.

use crate::project::Project;

const CASE: &str = "id: refund
cases: data/orders.csv
input: Where is order {{order}}?
trace: {input: \"Where is order {{order}}?\", calls: [{name: get_order, arguments: {id: \"{{order}}\"}}], answer: \"It is {{status}}.\"}
expect:
  - tool_called: get_order
  - contains: \"{{expected}}\"
";

const ROWS: &str =
    "order,status,expected\n7,shipped,shipped\n\"8, or 9\",\"lost \"\"at sea\"\"\",delivered\n";

fn with_rows(rows: &str) -> Project {
    Project::empty().file("evals/orders.yaml", CASE).file("evals/data/orders.csv", rows)
}

#[test]
fn each_row_of_a_csv_file_is_a_trial() {
    let ran = with_rows(ROWS).run(&[]).exits(101).says("1 passed; 1 failed");
    assert_eq!(ran.names(), ["orders::refund[7]", "orders::refund[8, or 9]"]);
    ran.says("--> evals/orders.yaml:7").says("row: evals/data/orders.csv:3:1").says("contain \"delivered\"");
}

#[test]
fn a_mark_of_excel_and_its_line_ends_are_no_part_of_the_rows() {
    let rows = format!("\u{feff}{}", ROWS.replace('\n', "\r\n"));
    let ran = with_rows(&rows).run(&[]).exits(101);
    assert_eq!(ran.names(), ["orders::refund[7]", "orders::refund[8, or 9]"]);
    ran.says("row: evals/data/orders.csv:3:1");
}

#[test]
fn a_row_is_run_alone_by_its_name_and_by_its_identifier() {
    let project = with_rows(ROWS).file("evals/other.yaml", "tests: [");
    project.run(&["--exact", "orders::refund[7]"]).exits(0).says("1 passed; 0 failed");
    project.run(&["--exact", "orders::refund_0x5b_7_0x5d_"]).exits(0).says("1 passed; 0 failed");
    project.run(&["--exact", "orders::refund[8, or 9]"]).exits(101);
    project.run(&["--exact", "orders::refund"]).exits(0).says("0 passed");
}

#[test]
fn the_verdict_and_the_list_name_the_row() {
    let project = with_rows(ROWS);
    let listed = project.run(&["--list", "--format", "json", "-Zunstable-options"]).exits(0);
    let listed = listed.says("\"row\":\"evals/data/orders.csv:2:1\"");
    listed.says("\"identifier\":\"orders::refund_0x5b_7_0x5d_\"");
    project.run(&[]).exits(101);
    let verdict = project.verdict("orders::refund[8, or 9]");
    assert_eq!((&verdict["row"]["line"], &verdict["case"]["line"]), (&3.into(), &1.into()));
    assert_eq!(project.verdict("orders::refund[7]")["row"]["file"], "evals/data/orders.csv");
}

#[test]
fn recordings_are_looked_up_by_row() {
    let case =
        "id: a\neach: [{id: \"1\"}, {id: x/y}]\ninput: order {{id}}\nexpect: [{contains: \"{{id}}\"}]\n";
    let trace = |id: &str| format!("{{\"input\": \"order {id}\", \"calls\": [], \"answer\": \"{id}\"}}");
    let project = Project::empty().file("evals/s.yaml", case);
    let project = project.file("evals/traces/s/a[1].json", trace("1"));
    let project = project.file("evals/traces/s/a[x_y].json", trace("x/y"));
    let ran = project.run(&[]).exits(0);
    assert_eq!(ran.names(), ["s::a[1]", "s::a[x%2Fy]"]);
}

#[test]
fn a_placeholder_alone_keeps_the_type_of_a_row_in_the_case() {
    let case = "each:
  - {arguments: {id: 7, tags: [a, b]}, most: 1}
  - {arguments: {id: 8, tags: []}, most: 0}
trace: {calls: [{name: get, arguments: \"{{arguments}}\"}]}
expect:
  - tool_calls_at_most: \"{{most}}\"
  - contains: \"{{none}}\"
";
    let errors = Project::empty().file("evals/s.yaml", case).run(&[]).exits(2);
    errors.complains("no column is called `none`").complains("known here: `arguments`, `most`");
    let case: Vec<&str> = case.lines().filter(|line| !line.contains("none")).collect();
    let ran = Project::empty().file("evals/s.yaml", case.join("\n")).run(&[]).exits(101);
    assert_eq!(ran.names(), ["s::1", "s::2"]);
    ran.says("1 passed; 1 failed");
}

#[test]
fn the_text_of_a_row_is_not_searched_for_placeholders() {
    let case = "each: [{id: a, one: \"{{two}}\", two: x}]
trace: {calls: [], answer: \"{{one}}{{two}}\"}
expect: [{contains: \"{{one}}x\"}]
";
    let ran = Project::empty().file("evals/s.yaml", case).run(&[]).exits(0);
    assert_eq!(ran.names(), ["s::a"]);
}

#[test]
fn an_id_with_a_placeholder_is_the_name() {
    let case = "tests:
  - id: order {{n}} of {{shop}}
    each: [{n: 1, shop: a}, {n: 2, shop: b}]
    trace: {calls: [look]}
    expect: [{tool_called: look}]
";
    let ran = Project::empty().file("evals/s.yaml", case).run(&[]).exits(0);
    assert_eq!(ran.names(), ["s::order 1 of a", "s::order 2 of b"]);
}

/// The complaints about a file of cases with these rows.
fn complaint(rows: &str) -> String {
    with_rows(rows).run(&[]).exits(2).stderr
}

#[test]
fn wrong_rows_are_shown_where_they_are() {
    let few = complaint("order,status,expected\n7,shipped\n");
    assert!(few.contains("this row has 2 values, and the first line names 3 columns"), "{few}");
    assert!(few.contains("evals/data/orders.csv:2:1"), "{few}");
    let missing = complaint("order,state,expected\n7,shipped,x\n");
    assert!(missing.contains("no column is called `status`"), "{missing}");
    assert!(missing.contains("evals/orders.yaml:4:"), "{missing}");
    assert!(missing.contains("in the row `7`: evals/data/orders.csv:2:1"), "{missing}");
    let semicolons = complaint("order;status;expected\n7;shipped;x\n");
    assert!(
        semicolons.contains("the file has semicolons between its columns: save it with commas"),
        "{semicolons}"
    );
    let twice = complaint("order,status,expected\n7,a,a\n8,b,b\n7,c,c\n");
    assert!(twice.contains("the row `7` has the name of the row in line 2"), "{twice}");
    assert!(twice.contains("evals/data/orders.csv:4:1"), "{twice}");
    assert!(complaint("order,status,order\n7,a,b\n").contains("two columns are called `order`"));
    assert!(complaint("order,,status\n7,a,b\n").contains("the column 2 has no name"));
    assert!(complaint("order,status,expected\n").contains("there is no row"));
    assert!(complaint("").contains("the file is empty"));
    let gone = Project::empty().file("evals/orders.yaml", CASE).run(&[]).exits(2).stderr;
    assert!(gone.contains("evals/orders.yaml:2:8") && gone.contains("evals/data/orders.csv"), "{gone}");
}

#[test]
fn a_wrong_value_names_its_row() {
    let case = "each: [{id: a, most: 1}, {id: b, most: few}]
trace: {calls: []}
expect: [{tool_calls_at_most: \"{{most}}\"}]
";
    let ran = Project::empty().file("evals/s.yaml", case).run(&[]).exits(2);
    ran.complains("evals/s.yaml:3").complains("in the row `b`: evals/s.yaml:1:26");
}

#[test]
fn rows_that_fill_too_much_are_refused() {
    let rows: Vec<String> = (0..100_001).map(|row| format!("{row},a,a\n")).collect();
    let many = complaint(&["order,status,expected\n".to_owned(), rows.concat()].concat());
    assert!(many.contains("more than the 100000 that a case may have"), "{many}");
    let large = format!("order,status,expected\n7,{},a\n", "x".repeat(40 << 20));
    let case = CASE.replace("{{status}}", &"{{status}}".repeat(10));
    let project = with_rows(&large).file("evals/orders.yaml", case);
    project
        .run(&[])
        .exits(2)
        .complains("rows of this file add more than 256 MiB to its cases")
        .complains("evals/orders.yaml:1:1");
}

const SHARED: &str = "expect:\n  - tool_blocklist: [rm]\nrequire_calls: true\n";

#[test]
fn an_included_file_adds_to_the_case_and_is_no_case_itself() {
    let project = Project::empty().file("evals/shared/safe.yaml", SHARED).file(
        "evals/s.yaml",
        "tests:
  - {id: a, include: shared/safe.yaml, trace: {calls: [rm]}, expect: [{tool_calls_at_most: 1}]}
  - {id: b, include: [shared/safe.yaml], trace: {calls: [look]}, expect: [{tool_called: look}]}
",
    );
    let ran = project.run(&[]).exits(101);
    assert_eq!(ran.names(), ["s::a", "s::b"]);
    ran.says("1 passed; 1 failed").says("`rm` is blocked").says("--> evals/shared/safe.yaml:2:");
    project.run(&["--exact", "s::b"]).exits(0).says("1 passed");
}

#[test]
fn a_suite_includes_for_all_its_cases() {
    let project = Project::empty().file("evals/shared/safe.yaml", SHARED).file(
        "evals/s.yaml",
        "include: shared/safe.yaml
tests:
  - {id: a, trace: {calls: [rm]}}
  - {id: b, trace: {calls: [look]}}
",
    );
    project.run(&[]).exits(101).says("1 passed; 1 failed");
}

#[test]
fn a_cycle_and_a_missing_file_are_shown_where_they_are_named() {
    let project = Project::empty().file("evals/s.yaml", "include: shared/a.yaml\ntrace: {calls: []}\n");
    project.run(&[]).exits(2).complains("evals/s.yaml:1:10").complains("evals/shared/a.yaml");
    project.write("evals/shared/a.yaml", "include: b.yaml\nrequire_calls: true\n");
    project.write("evals/shared/b.yaml", "include: [a.yaml]\n");
    let ran = project.run(&[]).exits(2).complains("evals/shared/b.yaml:1:11");
    ran.complains("`evals/shared/a.yaml` includes itself: evals/shared/a.yaml -> evals/shared/b.yaml -> ");
    project.write("evals/shared/a.yaml", "requir_calls: true\nid: x\n");
    let ran = project.run(&[]).exits(2).complains("evals/shared/a.yaml:1:1").complains("`require_calls`");
    ran.complains("evals/shared/a.yaml:2:5");
    project.write("evals/s.yaml", "include: ../../etc/passwd\ntrace: {calls: []}\n");
    project.run(&[]).exits(2).complains("evals/s.yaml:1:10");
}

const AMOUNTS: &str = "id: refund
cases: data/orders.csv
trace: {calls: [{call: refund, args: {amount: 6.5, items: [1, 2]}}]}
expect: [{call: {tool: refund, args: {amount: \"{{amount | number}}\", items: \"{{items|json}}\"}}}]
";

#[test]
fn a_cell_is_read_as_a_number_or_as_json() {
    let with =
        |rows: &str| Project::empty().file("evals/s.yaml", AMOUNTS).file("evals/data/orders.csv", rows);
    with("id,amount,items\na,6.50,\"[1, 2]\"\n").run(&[]).exits(0).says("1 passed");
    with("id,amount,items\na,7,\"[1, 2]\"\n").run(&[]).exits(101).says("amount: 6.5 -> 7 expected");
    let wrong = with("id,amount,items\na,6.5,\"[1, 2]\"\nb,6 EUR,\"[1, 2\"\n").run(&[]).exits(2).stderr;
    for part in [
        "the column `amount` has the text `6 EUR`, which is no number",
        "the column `items` has the text `[1, 2`, which is no JSON",
        "in the row `b`: evals/data/orders.csv:3:1",
    ] {
        assert!(wrong.contains(part), "{part}: {wrong}");
    }
    // A column of exactly that name comes first, and no column is unused.
    let exact = with("id,amount | number,items\na,6.50,\"[1, 2]\"\n").run(&[]).exits(101);
    exact.says("amount: 6.5 -> \"6.50\" expected");
    let unknown = AMOUNTS.replace("| number", "| nmber");
    let unknown = Project::empty()
        .file("evals/s.yaml", unknown)
        .file("evals/data/orders.csv", "id,amount,items\na,1,2\n");
    let problem = unknown.run(&[]).exits(2).stderr;
    assert!(problem.contains("unknown filter `nmber`"), "{problem}");
    assert!(problem.contains("did you mean `number`?"), "{problem}");
}

#[test]
fn rows_are_read_from_json_lines() {
    let case = "id: refund
cases: data/orders.jsonl
trace: {calls: [{call: refund, args: {amount: 6.5}}]}
expect: [{call: {tool: refund, args: {amount: \"{{amount}}\"}}}]
";
    let with = |rows: &str| Project::empty().file("evals/s.yaml", case).file("evals/data/orders.jsonl", rows);
    let ran = with("{\"id\": \"a\", \"amount\": 6.5}\n\n{\"id\": \"b\", \"amount\": \"6.5\"}\n")
        .run(&[])
        .exits(101);
    assert_eq!(ran.names(), ["s::refund[a]", "s::refund[b]"]);
    ran.says("1 passed; 1 failed").says("row: evals/data/orders.jsonl:3:1").says("(a text, not a number)");
    let wrong = with("{\"id\": \"a\", \"amount\": 1}\n[1]\n{\"id\": \n").run(&[]).exits(2).stderr;
    assert!(wrong.contains("a row is an object of columns and values, not a list"), "{wrong}");
    assert!(
        wrong.contains("evals/data/orders.jsonl:2:1") && wrong.contains("evals/data/orders.jsonl:3:"),
        "{wrong}"
    );
    assert!(with("\n").run(&[]).exits(2).stderr.contains("there is no row"));
}
