"""The schemas that editors get: valid themselves, and in step with what discovery accepts."""

import pytest
from jsonschema import Draft202012Validator

from nyl.core.diagnostics import NylError
from nyl.core.yamlio import load_documents
from nyl.project.schema_catalog import bundle_kinds, kubernetes_kinds, resource_kinds, schema_of
from tests.project.builders import ENVIRONMENT, UNIT, Kinds
from tests.support.kubernetes_project import CLUSTER, GROUP, PROJECT_DEFINITION, RELEASE, TARGET


@pytest.mark.parametrize("kind", [*resource_kinds(), *kubernetes_kinds(), *bundle_kinds(), "Command", "Image", None])
def test_every_schema_is_a_valid_schema(kind: str | None) -> None:
    Draft202012Validator.check_schema(schema_of(kind, Kinds()))


ARGOCD = "apiVersion: k8s.gitops.nyl/v1\nkind: ArgoCDInstance\nmetadata: {name: central}\nspec: {namespace: argocd}\n"


@pytest.mark.parametrize("text", [ENVIRONMENT, UNIT, CLUSTER, TARGET, GROUP, ARGOCD, PROJECT_DEFINITION, RELEASE])
def test_the_schema_of_everything_accepts_each_kind(text: str) -> None:
    validator = Draft202012Validator(schema_of(None, Kinds()))
    document = load_documents(text.encode(), "x")[0].value
    assert validator.is_valid(document)
    assert not validator.is_valid({**document, "spec": {"unknown": 1}})
    assert not validator.is_valid({**document, "kind": "Other"})


def test_an_unknown_kind_names_the_nearest_one() -> None:
    with pytest.raises(NylError) as caught:
        schema_of("Enviroment", Kinds())
    assert "Environment" in caught.value.diagnostic.fix
