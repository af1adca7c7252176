import { availableParallelism } from 'node:os';

// The processes of jest inherit it. A spec cannot set it: jest gives it a copy of the environment, which the native
// library of the bundled model does not read.
process.env.ORT_DISABLE_TELEMETRY = '1';

// NestJS 12 and several libraries are ESM only: everything, node_modules included, is transformed to CommonJS.
const shared = {
  testEnvironment: 'node',
  // The workspaces by their sources.
  testEnvironmentOptions: { customExportConditions: ['@lectern/source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.(t|j|mj)s$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Records the SQL statements of specs for scripts/tenant-predicates.mjs.
  setupFiles: process.env.RECORDED_STATEMENTS
    ? ['<rootDir>/test/tenant-predicates/record-statements.cjs']
    : [],
  // These two are CommonJS, and one of them asks for the `this` of a script.
  transformIgnorePatterns: ['/node_modules/(axe-core|playwright-core)/'],
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/clients/.*/dist',
    '<rootDir>/data',
    '<rootDir>/test/clients/node_modules',
    '<rootDir>/.stryker-tmp',
  ],
};

/**
 * Specs that take half a minute and more: kills, histories, hostile requests, pages, old Office files, reports as PDF, long
 * questions, models that fail, responses, object stores, and what surrounds the service (commands, logs, metrics, traces,
 * system calls). `npm test` leaves them out; the gate runs them on PostgreSQL, the nightly run on either database.
 */
const LONG = [
  'crash/.*',
  'folders/.*',
  'histories/.*',
  'hostile/.*',
  'documents/pdf-evidence',
  '(demo|doctor|eval|import|ingest|reindex|search)-command',
  '(chunk-context|command-line|described-input|downloads|long-questions|reranking|wide-filters|wrong-keys)',
  '(completion-failures|completion-secrets|structured-completion)',
  'documented-(commands|errors)',
  '(page-search|pages|document-file|posted-text|tables)',
  '(logs|metrics|traces)',
  '(database-outages|fair-queues|lifecycle|pgbouncer|several-processes)',
  '(evil-patterns|no-network|rules|selection|tenant-shards)',
  '(legacy-office|openai-responses|reasoning|storage)',
]
  .map((name) => `/test/${name}\\.(e2e|spec)\\.ts$`)
  .join('|');

export default {
  // What specs wait for is other processes more than their own: a worker more than there are cores.
  maxWorkers: availableParallelism() + 1,
  // No spec asserts its own time; on busy cores one may take several times as long as alone. Jest reads it here only,
  // not in a project.
  testTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testRegex: ['/src/.*\\.spec\\.ts$', '/test/.*(?<!e2e)-spec\\.ts$', '/test/.*(?<!e2e)\\.spec\\.ts$'],
      testPathIgnorePatterns: ['/node_modules/', LONG],
    },
    {
      ...shared,
      displayName: 'e2e',
      testRegex: ['/test/(?!load/|package/|browser/|clients/).*\\.e2e\\.ts$'],
      testPathIgnorePatterns: ['/node_modules/', LONG],
    },
    { ...shared, displayName: 'long', testRegex: [LONG] },
    // In a browser: minutes, and the same on either database; the gate runs them once.
    { ...shared, displayName: 'browser', testRegex: ['/test/browser/.*\\.e2e\\.ts$'] },
    // Installs the packed package, a minute on its own; the gate runs it once.
    { ...shared, displayName: 'package', testRegex: ['/test/package/.*\\.e2e\\.ts$'] },
    // Clients of others, which scripts/clients.sh installs first.
    { ...shared, displayName: 'clients', testRegex: ['/test/clients/.*\\.e2e\\.ts$'] },
    // Long, and a part of the nightly run only.
    { ...shared, displayName: 'load', testRegex: ['/test/load/.*\\.e2e\\.ts$'] },
  ],
};
