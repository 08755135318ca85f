"""`autosim validate`."""

from pathlib import Path

import click

from autosim.cli.cli_options import echo_escaped, example, explain_errors


@click.command(epilog=example("autosim validate --out docs"))
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("docs"),
    show_default=True,
    help="Folder for validation.md and its charts.",
)
@explain_errors
def validate(out: Path) -> None:
    """Drives cars through standard manoeuvres and compares them with published models.

    The cars are robots/bmw_320i.xml and, at the end, robots/impreza.xml and all other shipped ones.
    The multi-body model is that of the package commonroad-vehicle-models; without the package the
    report leaves it out. Fails if a value is outside its band for no known reason.
    """
    from autosim.applications.validation.laboratory import Laboratory
    from autosim.applications.validation.report import write_report
    from autosim.applications.validation.results import Section
    from autosim.applications.validation.validate import run_all
    from autosim.errors import UserError

    def show(section: Section) -> None:
        outside = [each for each in section.checks if not each.is_inside]
        echo_escaped(
            f"{section.title}: {len(section.checks) - len(outside)} of {len(section.checks)} inside"
        )
        for each in outside:
            band = f"{each.low:.4g} to {each.high:.4g}"
            echo_escaped(f"  {each.what}: {each.value:.4g} {each.unit}, band {band}")

    sections = run_all(Laboratory.of_shipped_cars(), show=show)
    try:
        echo_escaped(f"{write_report(sections, out)}: written")
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error}") from error
    faults = [
        each for one in sections for each in one.checks if not each.is_inside and not each.why
    ]
    if faults:
        raise UserError(f"{len(faults)} values are outside their bands for no known reason")
