"""Writes `verdicts.json`: what the classes of OpenAI Evals make of each answer.

    pip install --no-deps --target evals-3 evals==3.0.1.post1
    python3 record.py evals-3

The answers are ours; OpenAI Evals (MIT) is only run: its classes with a model that gives the answer. What they import beside
these classes is replaced by empty modules, because it asks models and stores results.
"""
import importlib.util, json, pathlib, sys, types

here, source = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1], "evals")
matches = []


class Anything(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *a, **k: None})


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, source / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


for name in ("evals", "evals.record", "evals.metrics", "evals.prompt", "evals.prompt.base", "evals.elsuite", "evals.base",
             "numpy"):
    sys.modules[name] = Anything(name)
    sys.modules[name].__path__ = []
record = sys.modules["evals.record"]
record.record_match = lambda correct, **rest: matches.append(bool(correct))
record.record_metrics = lambda **rest: None
sys.modules["evals"].record = record
sys.modules["evals"].metrics = sys.modules["evals.metrics"]
api = load("evals.api", "api.py")
sys.modules["evals"].record_and_check_match = api.record_and_check_match
sys.modules["evals.elsuite"].utils = load("evals.elsuite.utils", "elsuite/utils.py")
CLASSES = {
    "evals.elsuite.basic.match:Match": load("evals.elsuite.basic.match", "elsuite/basic/match.py").Match,
    "evals.elsuite.basic.includes:Includes": load("evals.elsuite.basic.includes", "elsuite/basic/includes.py").Includes,
    "evals.elsuite.basic.fuzzy_match:FuzzyMatch": load("evals.elsuite.basic.fuzzy_match", "elsuite/basic/fuzzy_match.py").FuzzyMatch,
    "evals.elsuite.basic.json_match:JsonMatch": load("evals.elsuite.basic.json_match", "elsuite/basic/json_match.py").JsonMatch,
}
MATCH, INCLUDES, FUZZY, JSON = CLASSES

TEXTS = [
    ("Paris", "Paris"), ("Paris", "Paris, of course"), ("Paris", "paris"), ("Paris", " Paris"), ("Paris", "It is Paris."),
    ("Paris", "Rome"), ("Paris", "Pari"), (["Rome", "Paris"], "Paris"), (["Rome", "Paris"], "Oslo"), ("a b", "a  b"),
    ("4", "44"), ("4", "four"), ("$5", "$5.00"), ("straße", "STRASSE"), ("Éa", "éa"), ("the cat", "cat"),
    ("the cat", "The cat sat."), ("cat", "the cat"), ("cat", "bobcat"), ("cat.", "cat"), ("cat", "c-a-t"), ("a dog", "dogs"),
    ("New York", "new\nyork"), ("ok", ""), ("x", "X"), ("line", "first\nline"), ("not sure", "I am not so sure"),
]
VALUES = [
    ('{"a": 1}', '{"a": 1}'), ('{"a": 1}', '{"a":1.0}'), ('{"a": 1}', '{"a": "1"}'), ('{"a": 1}', '{"a": 1, "b": 2}'),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'), ('{"a": [1, 2]}', '{"a": [2, 1]}'), ('{"a": {}}', '{"a": []}'),
    ('{"a": 1}', '```json\n{"a": 1}\n```'), ('{"a": 1}', 'The answer: {"a": 1}'), ('{"a": 1}', 'no'), ('[1, 2]', '[1, 2]'),
    ('[1, 2]', '[1]'), ('"x"', '"x"'), ('"x"', 'x'), ('5', '5'), ('true', 'true'), ('true', '1'), ('{"a": true}', '{"a": 1}'),
    (['{"a": 1}', '{"a": 2}'], '{"a": 2}'), (['{"a": 1}', '{"a": 2}'], '{"a": 3}'), ('{"a": 1}', '{"a": 1, "b": null}'),
    ('{"a": 1}', ' {"a": 1} '), ('{"a": 1}', '{"a": 1, "a": 2}'), ('{}', '{}'), ('[]', '{}'), ('{"a": "é"}', '{"a": "\\u00e9"}'),
]


def judge(name, settings, ideal, answer):
    completion = types.SimpleNamespace(get_completions=lambda: [answer])
    one = CLASSES[name]([lambda **asked: completion], "samples.jsonl", **settings)
    one.completion_fn = lambda **asked: completion
    one.max_tokens = 9
    before = len(matches)
    one.eval_sample({"input": "q", "ideal": ideal}, None)
    assert len(matches) == before + 1
    return matches[-1]


rows = []
for name, settings, samples in [(MATCH, {}, TEXTS), (INCLUDES, {}, TEXTS), (INCLUDES, {"ignore_case": True}, TEXTS),
                                (FUZZY, {}, TEXTS), (JSON, {}, VALUES)]:
    for ideal, answer in samples:
        rows.append({"class": name, "args": settings, "ideal": ideal, "answer": answer,
                     "passes": judge(name, settings, ideal, answer)})
(here / "verdicts.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
