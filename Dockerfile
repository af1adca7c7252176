# Needs Docker Engine 25.0 or later (--start-interval of HEALTHCHECK).

# What the service needs at work: made anew only when the lock file changes, not with every line of code.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The other workspaces are built into dist, with what they need.
RUN npm ci --omit=dev --workspaces=false --no-audit
# The model runtime comes for five platforms (290 MB); the image keeps the one it runs on.
RUN find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d \
      ! -path "*/linux/$(node -p process.arch)" -prune -exec rm -rf {} + \
 && test -n "$(find node_modules/onnxruntime-node/bin -name '*.node')" \
 && find node_modules -name '*.map' -delete

# Everything that is needed to compile stays in this stage.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json ./clients/typescript/
COPY evaluation/package.json ./evaluation/
COPY cli/package.json ./cli/
COPY web/package.json ./web/
COPY models/multilingual-e5-small/package.json ./models/multilingual-e5-small/
RUN npm ci --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY clients/typescript/src ./clients/typescript/src
COPY evaluation ./evaluation
COPY cli ./cli
COPY web ./web
RUN npm run build && find dist -name '*.map' -delete && chmod +x dist/cli/lectern.js

FROM node:24-bookworm-slim AS service
# Of the C library: memory that was freed goes back to the system.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data ORT_DISABLE_TELEMETRY=1 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
# The service writes to DATA_DIR and /tmp only; its own files belong to root. Its commands are on the PATH: lectern doctor.
RUN install -d -m 700 -o node -g node /data && ln -s /app/dist/cli/lectern.js /usr/local/bin/lectern
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY models ./models
COPY LICENSE ./
USER node
VOLUME /data
EXPOSE 8000
# Answered by every process, one with WORKER=only as well. A start that migrates many chunks takes long, and its log says how
# far it is; one that cannot go on ends by itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2h --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8000}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]

# With LibreOffice, which reads DOC, XLS, PPT, RTF, ODS and ODP: docker build --target full .
# Fonts of the usual metrics come with it; documents in Chinese, Japanese or Korean want fonts-noto-cjk as well.
FROM service AS full
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui fonts-liberation fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*
USER node

# What is built when no target is named.
FROM service
