# The image of Posthorn: docs/operate/install.md says how to run it. `docker build -t posthorn .`
# With POSTHORN_ENV=production a container needs POSTHORN_PROVIDER: direct, smtp, ses or sandbox.
# In a checkout, run `npm ci` first: it builds the pages, which the archive of a release contains. The bases have no digests, so that each
# build gets the security updates of Debian; docs/release.md says how a published image names its base. Only the build stage has npm. The image runs the
# Node.js and the PostgreSQL of package-lock.json on a plain Debian, like an installation without a container.
ARG NPM_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NPM_IMAGE} AS packages
WORKDIR /opt/posthorn
COPY package.json package-lock.json ./
# The headers of Node are a third of its package.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund \
  && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share

FROM ${BASE_IMAGE}
# PostgreSQL requires a user with a name. The id is fixed because this user owns the files in the volume.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin posthorn \
  && install -d -o posthorn -g posthorn -m 0700 /data /data/blobs
COPY --from=packages /opt/posthorn /opt/posthorn
COPY . /opt/posthorn/
RUN ln -s /opt/posthorn/deploy/posthorn /usr/local/bin/posthorn
ENV POSTHORN_DATA=/data \
  POSTHORN_LISTEN=::
USER posthorn
WORKDIR /opt/posthorn
VOLUME /data
EXPOSE 8025 2525 2110 2143 2465 2587 2993 2995
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["deploy/node", "-e", "fetch(`http://127.0.0.1:${process.env.POSTHORN_HTTP_PORT || 8025}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["deploy/node", "src/main.js"]
# Set by the release. At the end, because a change of an argument makes Docker repeat the steps below it.
ARG VERSION=development
ARG REVISION=unknown
ARG SOURCE=
LABEL org.opencontainers.image.title="Posthorn" \
  org.opencontainers.image.description="Transactional email and mailboxes that a team runs itself" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
