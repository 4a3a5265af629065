"""Executes and verifies images in contexts of their own, as runs do."""

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from nyl.core.canonical import digest
from nyl.core.masking import Masker
from nyl.core.pointers import join
from nyl.units.context import UnitContext, private_folder
from nyl.units.driver import ReceiptFacts, ResolvedUnit
from nyl.units.execution import execute, verify
from nyl.units.images.building import Job
from nyl.units.images.driver import OciImageDriver
from nyl.units.images.names import Repository
from nyl.units.images.registry import Registry
from nyl.units.images.spec import image_spec
from nyl.units.images.staging import stage
from nyl.units.images.tags import key_tag
from nyl.units.outcomes import Failed, Outcome, Succeeded, VerifyOutcome
from tests.support.image_registry import buildah_environment

NO_RECEIPT = ReceiptFacts()


@dataclass
class ImageBench:
    """One unit with a context folder. Each repository of a bench is another, so that tests can share a registry."""

    folder: Path
    host: str
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    """The repository within the registry."""
    variables: Mapping[str, str] = field(default_factory=buildah_environment)
    secrets: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    context: UnitContext | None = None
    """That of the last execution or verification."""
    seconds: float = 60

    def __post_init__(self) -> None:
        self.write("Dockerfile", "FROM scratch\nCOPY . /\n")

    @property
    def repository(self) -> str:
        """The repository with its registry."""
        return f"{self.host}/{self.name}"

    @property
    def text(self) -> str:
        """Everything that was shown."""
        return "\n".join(self.lines)

    def write(self, path: str, text: str = "", place: str = "context") -> "ImageBench":
        """Writes a file of the context, or of a named one."""
        file = self.folder / place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return self

    def spec(self, **fields: Any) -> dict[str, Any]:
        """A spec of the kind's own fields."""
        return {
            "context": {"path": "."},
            "repository": self.repository,
            "builder": {"tool": "buildah"},
            "platforms": ["linux/amd64"],
            **fields,
        }

    def execute(self, receipt: ReceiptFacts = NO_RECEIPT, key: str = "", **fields: Any) -> Outcome:
        """Executes the unit. The key is one of the spec unless another is given."""
        spec = self.spec(**fields)
        with private_folder() as temporary:
            self.context = self.in_context(temporary, spec)
            self.context.receipt = receipt
            self.context.execution_key = key or digest(spec)
            return execute(OciImageDriver(), self.resolved(spec), self.context)

    def executed(self, receipt: ReceiptFacts = NO_RECEIPT, key: str = "", **fields: Any) -> dict[str, Any]:
        """The image that an execution published."""
        outcome = self.execute(receipt, key, **fields)
        assert isinstance(outcome, Succeeded), (outcome, self.text)
        return dict(outcome.artifacts["image"])

    def failed(self, receipt: ReceiptFacts = NO_RECEIPT, key: str = "", **fields: Any) -> Failed:
        """How an execution failed."""
        outcome = self.execute(receipt, key, **fields)
        assert isinstance(outcome, Failed), outcome
        return outcome

    def verify(self, image: Mapping[str, Any], **fields: Any) -> VerifyOutcome:
        """Verifies what an execution published."""
        spec = self.spec(**fields)
        with private_folder() as temporary:
            self.context = self.in_context(temporary, spec)
            return verify(OciImageDriver(), self.resolved(spec), self.context, receipt(image))

    def tag(self, key: str = "", **fields: Any) -> str:
        """The tag of the execution key."""
        return key_tag(key or digest(self.spec(**fields)))

    def in_context(self, temporary: Path, spec: Mapping[str, Any]) -> UnitContext:
        """The context of an execution."""
        named = {join("/contexts", name): self.folder / name for name in spec.get("contexts", {})}
        return UnitContext(
            checkout=self.folder / "context",
            checkouts={"/context": self.folder / "context", **named},
            temporary=temporary,
            variables={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", **self.variables},
            masker=Masker(self.secrets.values()),
            secrets=self.secrets,
            sink=self.lines.append,
            grace=0.4,
        )

    def resolved(self, spec: Mapping[str, Any]) -> ResolvedUnit:
        """The unit dev/web."""
        return ResolvedUnit("dev", "web", "OciImage", spec, {}, timedelta(seconds=self.seconds))


@contextmanager
def job(bench: ImageBench, **fields: Any) -> Iterator[Job]:
    """What a builder is asked for, with everything laid out."""
    fields = bench.spec(**fields)
    with private_folder() as temporary:
        context = bench.in_context(temporary, fields)
        spec = image_spec(fields)
        registry = Registry(Repository(spec.repository), None, {})
        tag = "nyl-" + "0" * 16
        yield Job(bench.resolved(fields), spec, stage(spec, context), context, registry, tag, None, None)


def receipt(image: Mapping[str, Any]) -> ReceiptFacts:
    """The receipt of an execution that published an image."""
    return ReceiptFacts(artifacts={"image": dict(image)})
