"""An FMU for tests, compiled from C: it integrates its input, x' = k u."""

import subprocess
import zipfile
from pathlib import Path

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
{ Model *m = c; if (m->k < -1.5) abort();
  if (m->k < 0.0) return 3; m->x += h * m->k * m->u; return 0; }
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
