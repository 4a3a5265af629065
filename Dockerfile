# nyl with Git, for container jobs and for CI systems that run images.
FROM python:3.13-slim-bookworm@sha256:01f42367a0a94ad4bc17111776fd66e3500c1d87c15bbd6055b7371d39c124fb AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/nyl \
    && /opt/nyl/bin/python -m pip install --no-cache-dir . \
    && /opt/nyl/bin/python -m pip uninstall --yes pip

FROM python:3.13-slim-bookworm@sha256:01f42367a0a94ad4bc17111776fd66e3500c1d87c15bbd6055b7371d39c124fb
LABEL org.opencontainers.image.title="nyl" \
      org.opencontainers.image.description="A Git-native orchestrator" \
      org.opencontainers.image.licenses="Apache-2.0"
# Debian's security updates must get in, so the packages have no versions.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1001 --create-home nyl
COPY --from=build /opt/nyl /opt/nyl
ENV PATH=/opt/nyl/bin:$PATH
# The user that owns the workspace on hosted runners, too.
USER 1001
WORKDIR /workspace
ENTRYPOINT ["nyl"]
