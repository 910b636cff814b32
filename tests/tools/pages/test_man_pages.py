"""Man pages say what ``--help`` says, in roff that has no errors."""

import re
import subprocess

from tests.installed import need
from tools.pages.man_pages import pages
from tools.pages.written_help import texts


def test_page_of_each_command_has_all_words_of_its_help() -> None:
    made, helps = pages(), texts()
    assert made.keys() == {file.replace(".txt", ".1") for file in helps}
    for file, text in helps.items():
        page = made[file.replace(".txt", ".1")]
        plain = page.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\")
        lost = {*re.sub(r"(?m)^(Usage|Arguments|Options|Commands):", "", text).split()}
        assert not lost - {*plain.split()}


def test_roff_has_no_warnings() -> None:
    done = subprocess.run(
        [need("groff", "groff"), "-man", "-Tutf8", "-ww", "-z"],
        input="".join(pages().values()),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert not done.stderr
