"""The types of what is generated from `proto/` are those of what was generated last."""

import runpy

from tests.worlds import ROOT


def test_the_clients_are_typed_as_the_services_are():
    typed = runpy.run_path(str(ROOT / "scripts" / "type_services.py"))
    assert typed["TARGET"].read_text() == typed["typed_services"](), "run `make proto`"
