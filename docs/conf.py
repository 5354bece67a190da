"""Sphinx: builds with `make docs`, warnings are errors."""

import hedgerow

project = "hedgerow"
author = "The hedgerow developers"
copyright = "the hedgerow developers"
version = release = hedgerow.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "pictures"]
nitpicky = False

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "hedgerow"
html_theme_options = {"show_prev_next": True, "navigation_depth": 2, "secondary_sidebar_items": ["page-toc"]}
html_sidebars = {page: [] for page in ("index", "recipes", "architecture", "glossary", "references", "changes")}
html_copy_source = False
html_show_sourcelink = False
