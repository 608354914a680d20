"""Lets the helpers of the law tests explain their assertions as tests do."""

import pytest

pytest.register_assert_rewrite("tests.properties.checks", "tests.properties.steps", "tests.properties.world")
