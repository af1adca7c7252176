import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { EXHAUSTIVE } from './test/exhaustive.mjs';
import { staleBuild } from './test/support/run/stale-build.mjs';

// The processes of jest inherit it. A spec cannot set it: jest gives it a copy of the environment, which the native
// library of the bundled model does not read.
process.env.ORT_DISABLE_TELEMETRY = '1';

const stale = staleBuild(import.meta.dirname);
if (stale !== undefined) process.env.LECTERN_STALE_BUILD = stale;

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
  setupFiles: [
    // Records the SQL statements of specs for scripts/tenant-predicates.mjs.
    ...(process.env.RECORDED_STATEMENTS ? ['<rootDir>/test/tenancy/predicates/record-statements.cjs'] : []),
    ...(stale === undefined ? [] : ['<rootDir>/test/support/run/refuse-stale-build.cjs']),
  ],
  // These are CommonJS, and one of them asks for the `this` of a script.
  transformIgnorePatterns: ['/node_modules/(axe-core|playwright-core|typescript)/'],
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/reader/dist',
    '<rootDir>/clients/.*/dist',
    '<rootDir>/data',
    '<rootDir>/test/clients/node_modules',
    '<rootDir>/.stryker-tmp',
  ],
};

const patient = { setupFilesAfterEnv: ['<rootDir>/test/support/run/patient.cjs'] };

/**
 * Specs that take half a minute or more. `npm test` and the gate leave them out; the nightly run has them on both
 * databases.
 */
const LONG = '/test/long/';

const exhaustive = EXHAUSTIVE.map((file) => `<rootDir>/${file.replaceAll('.', '\\.')}$`);
for (const file of EXHAUSTIVE) {
  if (!existsSync(new URL(file, import.meta.url))) throw new Error(`test/exhaustive.mjs names ${file}`);
}

export default {
  globalSetup: '<rootDir>/test/support/run/begin.mjs',
  globalTeardown: '<rootDir>/test/support/run/end.mjs',
  // What specs wait for is other processes more than their own: a worker more than there are cores.
  maxWorkers: availableParallelism() + 1,
  // No spec asserts its own time; on busy cores one may take several times as long as alone. What specs wait for has
  // deadlines of its own. Jest reads this here only, not in a project.
  testTimeout: 300_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testRegex: [
        '/(src|maintenance)/.*\\.spec\\.ts$',
        '/test/.*(?<!e2e)-spec\\.ts$',
        '/test/.*(?<!e2e)\\.spec\\.ts$',
      ],
      testPathIgnorePatterns: ['/node_modules/', LONG, ...exhaustive],
    },
    {
      ...shared,
      displayName: 'e2e',
      testRegex: ['/test/(?!long/|load/|package/|browser/|clients/).*\\.e2e\\.ts$'],
      testPathIgnorePatterns: ['/node_modules/', ...exhaustive],
    },
    { ...shared, displayName: 'exhaustive', testMatch: EXHAUSTIVE.map((file) => `<rootDir>/${file}`) },
    { ...shared, ...patient, displayName: 'long', testRegex: [`${LONG}.*\\.(e2e|spec)\\.ts$`] },
    // In a browser: minutes, and the same on either database; the gate runs them once.
    { ...shared, displayName: 'browser', testRegex: ['/test/browser/.*\\.e2e\\.ts$'] },
    // Installs the packed package, a minute on its own; the gate runs it once.
    { ...shared, displayName: 'package', testRegex: ['/test/package/.*\\.e2e\\.ts$'] },
    // Clients of others, which scripts/clients.sh installs first.
    { ...shared, displayName: 'clients', testRegex: ['/test/clients/.*\\.e2e\\.ts$'] },
    // Long, and a part of the nightly run only.
    { ...shared, ...patient, displayName: 'load', testRegex: ['/test/load/.*\\.e2e\\.ts$'] },
  ],
};
