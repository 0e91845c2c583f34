# An image of the HTTP server.
#
#   docker build -t aludel .
#   docker run -p 127.0.0.1:8080:8080 -v aludel:/data aludel
#
# The database, the configuration (config.yaml) and the logs are in the volume /data. The server
# listens on all addresses of the container, and the options above publish it to this machine alone:
# without `server.auth`, whoever reaches the port may read, write and spend.

FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked && cp target/release/aludel /usr/local/bin/aludel

FROM debian:bookworm-slim
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin aludel
RUN install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=build /usr/local/bin/aludel /usr/local/bin/aludel
ENV ALUDEL_HOME=/data ALUDEL_MODE=server ALUDEL_SERVER__HOST=0.0.0.0 ALUDEL_SERVER__INSECURE_NO_AUTH=true ALUDEL_LOG_LEVEL=info
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["/usr/local/bin/aludel", "health", "--quiet", "--log-level", "warn"]
ENTRYPOINT ["/usr/local/bin/aludel"]
