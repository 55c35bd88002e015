"""Words on pages that tell about the data."""

import pytest

from speechbundles.bundle.check import practice


@pytest.mark.parametrize(
    "line",
    [
        "Sie dürfen die Daten im Rahmen ihrer Lizenz nutzen. {}",
        "Pueden utilizar los datos conforme a su licencia. {}",
        "Vous pouvez utiliser les données dans les limites de leur licence. {}",
        "您可以在许可协议允许的范围内使用数据。{}",
    ],
)
def test_a_page_in_another_language_names_the_licence_of_the_data(line):
    assert practice._LICENCE.search(line.format("CC0"))
    assert not practice._LICENCE.search(line.format(""))
