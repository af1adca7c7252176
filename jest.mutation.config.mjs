import config from './jest.config.mjs';

// What a mutation run executes for every change: the specs of the filters, without those over rows of a database.
process.env.WITHOUT_DATABASE = '1';

const [unit] = config.projects;

export default {
  ...unit,
  roots: ['<rootDir>/src/filters', '<rootDir>/src/metadata', '<rootDir>/test/filters'],
  testRegex: ['/test/filters/mutation-specs\\.cjs$'],
  moduleFileExtensions: ['ts', 'cjs', 'mjs', 'js', 'json'],
};
