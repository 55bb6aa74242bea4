# Builds everything from the checkout: docker build -t atrium .
FROM node:20-bookworm-slim AS web
WORKDIR /src
RUN npm install -g npm@11
COPY package.json package-lock.json .npmrc client-version LICENSE ./
COPY web/package.json web/
COPY sdk/package.json sdk/
COPY tests/standins/package.json tests/standins/
RUN npm ci
COPY crates/atrium/openapi.json crates/atrium/
COPY sdk sdk
COPY web web
RUN npm run -w sdk build && npm run -w web build
RUN mkdir -p /out/lib && cp node_modules/@chdb/lib-*/libchdb.so /out/lib/

FROM rust:1.95-slim-bookworm AS server
WORKDIR /src
COPY . .
COPY --from=web /src/web/dist web/dist
COPY --from=web /src/sdk/dist sdk/dist
RUN cargo build --release --locked -p atrium

FROM debian:bookworm-slim
RUN useradd --system --home-dir /var/lib/atrium --create-home --shell /usr/sbin/nologin atrium \
    && chmod 700 /var/lib/atrium
COPY --from=server /src/target/release/atrium /opt/atrium/atrium
COPY --from=web /out/lib/ /opt/atrium/lib/
USER atrium
VOLUME /var/lib/atrium
ENV ATRIUM_DATA_DIR=/var/lib/atrium ATRIUM_LISTEN=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
# A start may bring the schema up to date first.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/opt/atrium/atrium", "healthcheck"]
ENTRYPOINT ["/opt/atrium/atrium"]
CMD ["serve"]
