"""The tables of the platforms' keys."""

import pytest
from jsonschema import Draft3Validator

from speechbundles.model.finding import RULES
from speechbundles.model.keys import read_keys
from speechbundles.model.platform import MEANINGS, SHOWN
from speechbundles.platforms.codabench import facts as codabench

OWN = {
    "nullable",
    "code",
    "long",
    "given",
    "unset",
    "zero",
    "table",
    "each",
    "unless",
    "only",
    "setting",
    "longest_key",
}
JSON_SCHEMA = set(Draft3Validator.META_SCHEMA["properties"]) | {"minProperties"}


@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_each_rule_is_a_json_schema_that_says_what_is_expected(platform):
    tables = read_keys(platform)
    for table in tables.values():
        for key, rule in table.items():
            Draft3Validator.check_schema(rule)
            assert rule["description"], key
            assert set(rule) <= JSON_SCHEMA | OWN, key
            assert {rule[name] for name in ("table", "each") if name in rule} <= tables.keys(), key
            codes = {rule[name] for name in ("code", "long", "given", "unset", "zero") if name in rule}
            assert codes <= RULES.keys(), key


def test_each_submission_rule_has_a_meaning():
    assert set(codabench.SUBMISSION_RULES) == set(MEANINGS) == set(SHOWN)
