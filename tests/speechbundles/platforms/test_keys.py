"""The tables of the platforms' keys."""

import pytest
from jsonschema import Draft3Validator

from speechbundles.platforms import limits
from speechbundles.platforms.codabench import keys as codabench
from speechbundles.platforms.keys import read_keys

JSON_SCHEMA = set(Draft3Validator.META_SCHEMA["properties"]) | {"minProperties", "nullable"}


@pytest.mark.parametrize("platform", ["codabench", "codalab"])
def test_each_rule_is_a_json_schema_that_says_what_is_expected(platform):
    for table in read_keys(platform):
        for key, rule in table.items():
            Draft3Validator.check_schema(rule)
            assert rule["description"], key
            assert set(rule) <= JSON_SCHEMA, key


def test_a_rule_has_what_is_common_and_its_own():
    assert codabench.TOP["reward"] == {
        "type": ["string", "number"],
        "nullable": True,
        "description": "text",
        "maxLength": 256,
    }
    assert limits.LONGEST_COLUMN_TITLE == limits.LONGEST_KEY == 36
