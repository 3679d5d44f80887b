"""Writes `verdicts.json`: what ADK's trajectory evaluator makes of the calls of each run.

    pip install --no-deps --target adk google-adk==2.13.0
    python3 record.py adk

The runs are ours; Google ADK (Apache-2.0) is only run: its class `TrajectoryEvaluator`. The data classes that it imports are
replaced by plain ones, because they need Google's client.
"""
import enum, importlib.util, itertools, json, pathlib, sys, types
from types import SimpleNamespace

here, source = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1], "google/adk/evaluation")


class Anything(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, **values: self.__dict__.update(values)})


for name in ("google", "google.genai", "google.genai.types", "pydantic", "typing_extensions", "evaluation",
             "evaluation.eval_case", "evaluation.eval_metrics", "evaluation.evaluator"):
    sys.modules[name] = Anything(name)
    sys.modules[name].__path__ = []
sys.modules["typing_extensions"].override = lambda method: method
sys.modules["evaluation.eval_case"].get_all_tool_calls = lambda calls: calls
Criterion = sys.modules["evaluation.eval_metrics"].ToolTrajectoryCriterion = type("Criterion", (), {
    "MatchType": enum.Enum("MatchType", "EXACT IN_ORDER ANY_ORDER")})
sys.modules["evaluation.evaluator"].EvalStatus = enum.Enum("EvalStatus", "PASSED FAILED NOT_EVALUATED")
sys.modules["evaluation.evaluator"]._validate_invocation_lengths = lambda actual, expected: None
spec = importlib.util.spec_from_file_location("evaluation.trajectory_evaluator", source / "trajectory_evaluator.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

A, A2, B, C = ["a", {"x": 1}], ["a", {"x": 2}], ["b", {"q": "tea"}], ["c", {}]
D, D2 = ["d", {"f": {"at_least": 3}, "l": [1, {"any": [2]}]}], ["d", {"f": 5, "l": [1, 2]}]
# Expected and actual calls, turn by turn.
RUNS = [
    ([[A, B]], [[A, B]]), ([[A, B]], [[B, A]]), ([[A, B]], [[A]]), ([[A, B]], [[A, B, C]]), ([[A, B]], [[A, C, B]]),
    ([[A, B]], [[]]), ([[A]], [[A2]]), ([[A, A]], [[A, A2]]), ([[A, A]], [[A]]), ([[A, A2]], [[A2, A]]), ([[A, A]], [[A, B, A]]),
    ([[A]], [[["a", {"x": 1, "y": 2}]]]), ([[A]], [[["a", {}]]]), ([[A]], [[["a", {"x": 1.0}]]]), ([[A]], [[["a", {"x": "1"}]]]),
    ([[C]], [[C]]), ([[C]], [[["c", {"x": 1}]]]), ([[D]], [[D]]), ([[D]], [[D2]]), ([[]], [[]]), ([[]], [[A]]),
    ([[A, B, A]], [[A, A, B]]), ([[A], [B]], [[A], [B]]), ([[A], [B]], [[A, B], []]), ([[A], []], [[A], []]),
    ([[A], [B]], [[A], [B, C]]), ([[A], [B]], [[B], [A]]),
]


def judge(match, ignore, expected, actual):
    evaluator = module.TrajectoryEvaluator(threshold=1.0)
    evaluator._match_type, evaluator._ignore_args = Criterion.MatchType[match], ignore
    turns = [[SimpleNamespace(intermediate_data=[SimpleNamespace(name=name, args=args) for name, args in turn])
              for turn in turns] for turns in (actual, expected)]
    result = evaluator.evaluate_invocations(*turns)
    return result.overall_eval_status.name == "PASSED"


rows = [{"match": match, "ignore_args": ignore, "expected": expected, "actual": actual,
         "passes": judge(match, ignore, expected, actual)}
        for match, ignore, (expected, actual) in itertools.product(("EXACT", "IN_ORDER", "ANY_ORDER"), (False, True), RUNS)]
(here / "verdicts.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
