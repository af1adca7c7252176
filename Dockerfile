# Needs Docker Engine 25.0 or later (--start-interval of HEALTHCHECK).

# Runtime dependencies: this layer is rebuilt only when the lock file changes.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The other workspaces are bundled into dist.
RUN npm ci --omit=dev --workspaces=false --no-audit
# The model runtime contains five platforms (290 MB); the image keeps its own.
RUN find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d \
      ! -path "*/linux/$(node -p process.arch)" -prune -exec rm -rf {} + \
 && test -n "$(find node_modules/onnxruntime-node/bin -name '*.node')" \
 && find node_modules -name '*.map' -delete

# Build tools stay in this stage.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json ./clients/typescript/
COPY clients/react/package.json ./clients/react/
COPY clients/react/example/package.json ./clients/react/example/
COPY clients/vue/package.json ./clients/vue/
COPY evaluation/package.json ./evaluation/
COPY reader/package.json ./reader/
COPY cli/package.json ./cli/
COPY web/package.json ./web/
COPY models/multilingual-e5-small/package.json ./models/multilingual-e5-small/
RUN npm ci --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY clients/typescript/src ./clients/typescript/src
COPY reader ./reader
COPY evaluation ./evaluation
COPY maintenance ./maintenance
COPY cli ./cli
COPY web ./web
COPY scripts/database-template.mjs scripts/commit.mjs scripts/bundle.mjs ./scripts/
# docker build --build-arg GIT_COMMIT=$(git rev-parse --short HEAD)
ARG GIT_COMMIT=
RUN npm run build && find dist reader/dist -name '*.map' -delete && chmod +x dist/cli/lectern.js

FROM node:24-bookworm-slim AS service
# The C library returns freed memory to the system, and its threads share two heaps instead of sixteen.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data ORT_DISABLE_TELEMETRY=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_ARENA_MAX=2
WORKDIR /app
# The service writes to DATA_DIR and /tmp only; root owns its program files. The command `lectern` is on the PATH.
RUN install -d -m 700 -o node -g node /data && ln -s /app/dist/cli/lectern.js /usr/local/bin/lectern
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/reader/dist ./reader/dist
COPY models ./models
COPY demo/documents ./demo/documents
COPY LICENSE ./
USER node
VOLUME /data
EXPOSE 8000
# Every process responds, also with WORKER=only. A start that migrates many chunks takes long and logs its progress; one
# that fails exits.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2h --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8000}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

# With LibreOffice, which converts DOC, XLS, PPT, RTF, ODS and ODP: docker build --target full .
# It includes metric-compatible fonts; documents in Chinese, Japanese or Korean also need fonts-noto-cjk.
FROM service AS full
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui fonts-liberation fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*
USER node

# The default target.
FROM service
