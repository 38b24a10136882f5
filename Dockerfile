ARG BASE=node:24-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY stubs stubs
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The image contains exactly the published package, and the locked versions of its dependencies.
RUN npm pack --pack-destination /tmp \
 && mkdir /app \
 && tar --extract --gzip --file /tmp/flaggraph-*.tgz --strip-components 1 --directory /app \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && cp --recursive node_modules /app/ \
 && cp deploy/docker/healthcheck.mjs /app/

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
COPY --from=build /app /app
# Only the embedded database writes, and only here. With DATABASE_URL the container writes nothing.
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
WORKDIR /data
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/healthcheck.mjs"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
