/**
 * `npm run mutation`: changes src/filters and src/metadata in one place at a time and looks whether a spec notices. The score is the
 * share of the changes that one does. Report: reports/mutation/index.html.
 */
export default {
  mutate: ['src/{filters,metadata}/**/*.ts', '!src/{filters,metadata}/**/*.spec.ts'],
  testRunner: 'jest',
  jest: { configFile: 'jest.mutation.config.mjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  // Changes that take effect when a module is loaded would start every spec, each.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['dist', 'data', 'models', 'bench', 'demo', 'docs', 'test/fixtures', 'test/long'],
  reporters: ['clear-text', 'progress', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  thresholds: { high: 95, low: 85, break: 85 },
};
