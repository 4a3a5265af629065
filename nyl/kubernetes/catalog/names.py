"""The names of generated Applications."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.resources import ApplicationGroup, ReleaseDocument

if TYPE_CHECKING:
    from nyl.project.template_engine import TemplateEngine

_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")


class ApplicationNames:
    """Names the Applications of one target. `context` holds what templates see as `values`, `cluster` and `target`."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        self._context = context
        self._engine: TemplateEngine | None = None

    def of(self, group: ApplicationGroup, release: ReleaseDocument) -> str:
        """The name of a Release's Application: that of the Release, or what `applicationNameTemplate` renders to.

        The template sees `release` and `group` besides. Raises NylError (NYL-TEMPLATE-INVALID for the template,
        NYL-RESOURCE-INVALID for a name that Kubernetes refuses).
        """
        template = group.application_name_template
        name = release.name if template is None else self._rendered(template, group, release).strip()
        return checked_name(name, f"the Application of Release {group.name}/{release.name}", release.location)

    def _rendered(self, template: str, group: ApplicationGroup, release: ReleaseDocument) -> str:
        from nyl.project.template_engine import TemplateEngine, TemplateFailed, TemplateRules

        if self._engine is None:
            names = "`values`, `release`, `group`, `cluster` and `target`"
            self._engine = TemplateEngine(TemplateRules("the target's `values`", names))
        try:
            return str(self._engine.at(self._names(group, release)).render(template))
        except TemplateFailed as error:
            raise NylError(
                Code.TEMPLATE_INVALID,
                f"{group.location}: applicationNameTemplate of ApplicationGroup {group.name} cannot be rendered for "
                f"Release {release.name}: {error.reason}.",
                error.fix,
                location=group.location,
            ) from None

    def _names(self, group: ApplicationGroup, release: ReleaseDocument) -> dict[str, Any]:
        metadata = release.document.get("metadata") or {"name": release.name, "namespace": release.namespace}
        return {
            **self._context,
            "release": {"name": release.name, "namespace": release.namespace, "metadata": metadata},
            "group": {"name": group.name, "metadata": {"name": group.name, "labels": group.labels}},
        }


def checked_name(name: str, what: str, location: Location | None) -> str:
    """The name, when Kubernetes takes it for one of an object. Raises NylError (NYL-RESOURCE-INVALID)."""
    if _NAME.fullmatch(name):
        return name
    raise NylError(
        Code.RESOURCE_INVALID,
        f"The name {name!r} of {what} is none that Kubernetes allows.",
        "use small letters, digits, dots and hyphens, 253 at most",
        location=location,
    )
