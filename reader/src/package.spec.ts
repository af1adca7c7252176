import { readFileSync } from 'node:fs';

const dependenciesOf = (path: string): Record<string, string> =>
  (JSON.parse(readFileSync(path, 'utf8')) as { dependencies: Record<string, string> }).dependencies;

describe('the packages of the reader', () => {
  it('are packages of the service in the same versions, because its package contains the reader', () => {
    expect(dependenciesOf('package.json')).toMatchObject(dependenciesOf('reader/package.json'));
  });
});
