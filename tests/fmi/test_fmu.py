"""Co-simulation FMUs, compiled here from C: steps, variables, saved states."""

import shutil
import subprocess
import zipfile
from csv import DictReader
from pathlib import Path

import pytest

pytest.importorskip("fmpy")
if shutil.which("cc") is None:
    pytest.skip("there is no C compiler", allow_module_level=True)

from autosim.fmi import Fmu, FmuError
from tests.paths import ROOT

REFERENCE = ROOT.parent / "shared" / "reference_fmus"
"""Reference-FMUs of the Modelica Association, NAME.fmu, with their NAME_out.csv, if present."""

SOURCE = """
#include <stdlib.h>
#include <string.h>
typedef struct { double x, u, k; } Model;
typedef double Real; typedef unsigned int Ref; typedef void *Any;
Any fmi2Instantiate(const char *n, int t, const char *g, const char *r, const void *f, int v, int l)
{ Model *m = calloc(1, sizeof(Model)); m->k = 1.0; return m; }
void fmi2FreeInstance(Any c) { free(c); }
int fmi2SetupExperiment(Any c, int d, double t, double s, int e, double o) { return 0; }
int fmi2EnterInitializationMode(Any c) { return 0; }
int fmi2ExitInitializationMode(Any c) { return 0; }
int fmi2Terminate(Any c) { return 0; }
int fmi2SetReal(Any c, const Ref *r, size_t n, const Real *v)
{ for (size_t i = 0; i < n; i++) ((Real *)c)[r[i]] = v[i]; return 0; }
int fmi2GetReal(Any c, const Ref *r, size_t n, Real *v)
{ for (size_t i = 0; i < n; i++) v[i] = ((Real *)c)[r[i]]; return 0; }
int fmi2DoStep(Any c, double t, double h, int p)
{ Model *m = c; if (m->k < 0.0) return 3; m->x += h * m->k * m->u; return 0; }
int fmi2GetFMUstate(Any c, Any *s)
{ *s = malloc(sizeof(Model)); memcpy(*s, c, sizeof(Model)); return 0; }
int fmi2SetFMUstate(Any c, Any s) { memcpy(c, s, sizeof(Model)); return 0; }
int fmi2FreeFMUstate(Any c, Any *s) { free(*s); *s = 0; return 0; }
int fmi2SerializedFMUstateSize(Any c, Any s, size_t *n) { *n = sizeof(Model); return 0; }
int fmi2SerializeFMUstate(Any c, Any s, char *d, size_t n) { memcpy(d, s, n); return 0; }
int fmi2DeSerializeFMUstate(Any c, const char *d, size_t n, Any *s)
{ *s = malloc(sizeof(Model)); memcpy(*s, d, n); return 0; }
#define ABSENT(name) int fmi2##name(void) { return 3; }
ABSENT(CancelStep) ABSENT(GetStatus) ABSENT(GetRealStatus) ABSENT(GetIntegerStatus)
ABSENT(GetBooleanStatus) ABSENT(GetStringStatus) ABSENT(SetRealInputDerivatives)
ABSENT(GetRealOutputDerivatives) ABSENT(Reset) ABSENT(SetDebugLogging) ABSENT(GetTypesPlatform)
ABSENT(GetVersion) ABSENT(GetInteger) ABSENT(SetInteger) ABSENT(GetBoolean) ABSENT(SetBoolean)
ABSENT(GetString) ABSENT(SetString) ABSENT(GetDirectionalDerivative)
"""

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="integrator" guid="{{1}}">
  <CoSimulation modelIdentifier="integrator" canHandleVariableCommunicationStepSize="true"
    canGetAndSetFMUstate="{saves}" canSerializeFMUstate="{saves}"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output" variability="continuous"
      initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="u" valueReference="1" causality="input" variability="continuous">
      <Real start="0"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="2" causality="parameter" variability="tunable"
      initial="exact"><Real start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def built(folder: Path, *, saves: bool = True) -> Path:
    """An FMU that integrates its input: x' = k u."""
    source, library = folder / "model.c", folder / "integrator.so"
    source.write_text(SOURCE)
    command = ["cc", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    file = folder / "integrator.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION.format(saves=str(saves).lower()))
        archive.write(library, "binaries/linux64/integrator.so")
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("fmu"))


def test_an_fmu_computes_its_outputs_from_its_inputs(file: Path) -> None:
    with Fmu(file, {"k": 2.0}) as fmu:
        assert fmu.variables == {"x": "output", "u": "input", "k": "parameter"}
        fmu.set("u", 3.0)
        for _ in range(10):
            fmu.step(0.1)
        assert fmu.get("x") == pytest.approx(6.0)
        assert fmu.time == pytest.approx(1.0)


def test_a_saved_state_is_restored(file: Path) -> None:
    with Fmu(file) as fmu:
        fmu.set("u", 1.0)
        fmu.step(0.5)
        saved = fmu.save()
        fmu.step(0.5)
        fmu.restore(saved)
        assert (fmu.time, fmu.get("x")) == (0.5, pytest.approx(0.5))


def test_an_fmu_that_cannot_save_says_so(tmp_path: Path) -> None:
    with Fmu(built(tmp_path, saves=False)) as fmu:
        assert not fmu.can_save
        with pytest.raises(FmuError, match=r"integrator\.fmu: this FMU cannot save its state"):
            fmu.save()


def test_errors_name_file_and_variable(file: Path, tmp_path: Path) -> None:
    (tmp_path / "no.fmu").write_text("no")
    with pytest.raises(FmuError, match=r"no\.fmu: is not an FMU"):
        Fmu(tmp_path / "no.fmu")
    with Fmu(file) as fmu:
        with pytest.raises(FmuError, match="no variable 'y' with a number; it has k, u, x"):
            fmu.get("y")
        fmu.set("k", -1.0)
        with pytest.raises(FmuError, match="failed at 0 s"):
            fmu.step(0.1)


@pytest.mark.parametrize(("name", "outputs"), [("Dahlquist", ["x"]), ("VanDerPol", ["x0", "x1"])])
def test_reference_fmus_have_their_published_outputs(name: str, outputs: list[str]) -> None:
    files = sorted(REFERENCE.glob(f"*/{name}.fmu"))
    if not files:
        pytest.skip(f"the Reference-FMUs are not in {REFERENCE}")
    for file in files:
        with (file.parent / f"{name}_out.csv").open() as lines:
            rows = [{key: float(value) for key, value in row.items()} for row in DictReader(lines)]
        step = rows[1]["time"] - rows[0]["time"]
        with Fmu(file) as fmu:
            for row in rows[1:]:
                fmu.step(step)
                assert [fmu.get(each) for each in outputs] == pytest.approx(
                    [row[each] for each in outputs], abs=1e-9
                )
