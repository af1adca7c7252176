import config from './jest.config.mjs';

// What a mutation run executes for every change: the specs of the filters that need no database.
process.env.WITHOUT_DATABASE = '1';

const [unit] = config.projects;

export default {
  ...unit,
  roots: ['<rootDir>/src/filters', '<rootDir>/test/filters'],
  testRegex: ['/src/filters/.*\\.spec\\.ts$', '/test/filters/invalid-filters\\.spec\\.ts$'],
};
