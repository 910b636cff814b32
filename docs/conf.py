"""The documentation site, which ``make site`` builds: pages, helps of commands, docstrings."""

import isfc
from tools.pages import commands

commands.write(commands.FOLDER, commands.pages())

project = "isfc"
author = "The isfc maintainers"
copyright = author  # noqa: A001  (Sphinx reads this name)
release = version = isfc.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
default_role = "any"  # a name in single backticks: a link where the reference has it
html_theme = "furo"
html_title = "isfc"
# what is cut on a narrow screen says so, as it does on the pages that isfc writes
html_static_path = ["site.css", "../isfc/answers/page/scroll.js"]
html_css_files = ["site.css"]
html_js_files = [("scroll.js", {"defer": "defer"})]
html_show_copyright = html_show_sourcelink = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"

myst_heading_anchors = 3
# pages link to files of the project that are no pages; tools.checks.links checks every link
# what a command prints below its ``$`` need not be what a shell could read
# a word that an argument may be, such as "memory", is no link to the fields of that name
suppress_warnings = ["misc.highlighting_failure", "myst.xref_missing", "ref.any", "ref.python"]
