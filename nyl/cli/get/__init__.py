"""`nyl get`: what is known of a project and its environments."""

from nyl.cli.lazy import Entry, LazyGroup

command = LazyGroup(
    "get",
    {
        "environments": Entry("nyl.cli.get.environments", "The environments of the project."),
        "targets": Entry("nyl.cli.get.targets", "The targets of the project, and what each one renders."),
        "kinds": Entry("nyl.cli.get.kinds", "The unit kinds that are installed."),
        "units": Entry("nyl.cli.get.units", "The units of an environment."),
        "unit": Entry("nyl.cli.get.unit", "The stored documents of one unit."),
        "outputs": Entry("nyl.cli.get.outputs", "The outputs of an environment's units."),
        "output": Entry("nyl.cli.get.output", "The value of one output."),
        "artifacts": Entry("nyl.cli.get.artifacts", "The artifacts of an environment's units."),
        "artifact": Entry("nyl.cli.get.artifact", "One artifact, or a value inside it."),
        "runs": Entry("nyl.cli.get.runs", "The runs that are under way or left results."),
        "inputs": Entry("nyl.cli.get.inputs", "The effective inputs of a target's Releases."),
        "graph": Entry("nyl.cli.get.graph", "The units of an environment and their references, to draw."),
    },
    help="Print what is known.",
)
