"""What `import hedgerow` gives, and what it does not import before it is needed."""

import ast
import subprocess
import sys
from pathlib import Path

import hedgerow


def test_every_public_name_is_there():
    assert sorted(hedgerow.__all__) == sorted({*dir(hedgerow), "__version__"})
    for name in hedgerow.__all__:
        assert getattr(hedgerow, name) is not None


def test_the_list_of_names_is_the_list_of_imports():
    stub = ast.parse(Path(hedgerow.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = {name.name for part in stub.body if isinstance(part, ast.ImportFrom) for name in part.names}
    listed = next(ast.literal_eval(part.value) for part in stub.body if isinstance(part, ast.Assign))
    assert set(listed) == imported | {"__version__"}


def test_import_is_cheap():
    code = "import sys, hedgerow; print(*{'numpy', 'scipy', 'sklearn', 'pandas', 'rich'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == []


def test_an_unknown_name():
    code = "import hedgerow; hedgerow.MondrianForest"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "AttributeError" in result.stderr
    assert "MondrianForest" in result.stderr
