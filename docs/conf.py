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
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = [
    "_build",
    "pictures",
    "gallery",
    "auto_gallery/**/*.py",
    "auto_gallery/**/*.ipynb",
    "sg_execution_times.rst",
]
nitpicky = False

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 10,
}

html_theme = "pydata_sphinx_theme"
html_title = "hedgerow"
html_theme_options = {"show_prev_next": True, "navigation_depth": 2, "secondary_sidebar_items": ["page-toc"]}
html_sidebars = {page: [] for page in ("index", "recipes", "architecture", "glossary", "references", "changes")}
html_copy_source = False
html_show_sourcelink = False
