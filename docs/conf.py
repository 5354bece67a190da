"""Sphinx: builds with `make docs`, warnings are errors."""

import inspect
import sys
from pathlib import Path

import hedgerow

sys.path.insert(0, str(Path(__file__).parent))

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
    "benchmark_pages",
]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = [
    "_build",
    "_templates",
    "pictures",
    "gallery",
    "auto_gallery/**/*.py",
    "auto_gallery/**/*.ipynb",
    "sg_execution_times.rst",
]
nitpicky = False

templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
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
ALONE = ("index", "comparison", "recipes", "architecture", "glossary", "references", "versions", "changes")
html_sidebars = {page: [] for page in ALONE}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False


def is_of_others(app, what, name, member, skip, options):
    """Leave out of a class's page what other packages define, and fields of tuples, which the class describes."""
    member = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "func", None) or member)
    foreign = callable(member) and not (getattr(member, "__module__", None) or "").startswith("hedgerow")
    return True if foreign or (member.__doc__ or "").startswith("Alias for field") else None


def signature_of_parameters(app, what, name, obj, options, signature, return_annotation):
    """Show the parameters of a class, also where it looks at them before it makes an object."""
    if what == "class" and signature == "(*args, **kwargs)":
        parameters = list(inspect.signature(obj.__init__).parameters.values())[1:]
        plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
        return str(inspect.Signature(plain)), return_annotation
    return None


def setup(app):
    """Register what this file defines."""
    app.connect("autodoc-skip-member", is_of_others)
    app.connect("autodoc-process-signature", signature_of_parameters)
