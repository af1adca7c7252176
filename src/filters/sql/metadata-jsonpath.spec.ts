import { fieldNamed } from '../filter.js';
import { arrayPaths, missingTest, valuePaths, type MetadataField } from './metadata-jsonpath.js';

function field(name: string): MetadataField {
  const named = fieldNamed(name);
  if (named.kind === 'metadata') return named;
  throw new Error(`${name} is reserved`);
}

const arrayAt = (place: string) => `(@.type() == "object" && @${place}.type() == "array")`;
const notContainer = (place: string) => `(@${place}.type() != "object" && @${place}.type() != "array")`;

describe('the jsonpaths of a field', () => {
  it('contain only the key for a name without dots', () => {
    expect(valuePaths(field('a'))).toEqual(['$."a"']);
    expect(arrayPaths(field('a'))).toEqual([`$ ? ${arrayAt('."a"')}."a"`]);
    expect(missingTest(field('a'))).toBe('!exists(@."a")');
  });

  it('contain the exact key, and the steps if that key is missing', () => {
    expect(valuePaths(field('a.b'))).toEqual(['$."a.b"', '$ ? (!exists(@."a.b"))."a"."b"']);
    expect(arrayPaths(field('a.b'))).toEqual([
      `$ ? ${arrayAt('."a.b"')}."a.b"`,
      `$ ? (!exists(@."a.b"))."a" ? ${arrayAt('."b"')}."b"`,
    ]);
    expect(missingTest(field('a.b'))).toBe(
      `(!exists(@."a.b") && (!exists(@."a") || ${notContainer('."a"')} || exists(@."a" ? (@.type() == "object" && !exists(@."b")))))`,
    );
  });

  it('read a number as a key and as a position', () => {
    expect(valuePaths(field('a.0'))).toEqual([
      '$."a.0"',
      '$ ? (!exists(@."a.0"))."a"."0"',
      `$ ? (!exists(@."a.0")) ? ${arrayAt('."a"')}."a"[0]`,
    ]);
    expect(arrayPaths(field('a.0'))).toEqual([
      `$ ? ${arrayAt('."a.0"')}."a.0"`,
      `$ ? (!exists(@."a.0"))."a" ? ${arrayAt('."0"')}."0"`,
      `$ ? (!exists(@."a.0")) ? ${arrayAt('."a"')} ? ${arrayAt('."a"[0]')}."a"[0]`,
    ]);
  });

  it('test for a missing value after a number as a key and as a position', () => {
    const afterKey = `(!exists(@."0") || ${notContainer('."0"')} || exists(@."0" ? (@.type() == "object" && !exists(@."b"))))`;
    const afterPosition = `(!exists(@."a"[0]) || ${notContainer('."a"[0]')} || exists(@."a"[0] ? (@.type() == "object" && !exists(@."b"))))`;
    expect(missingTest(field('a.0.b'))).toBe(
      '(!exists(@."a.0.b") && (!exists(@."a")' +
        ` || ${notContainer('."a"')}` +
        ' || (@."a".type() == "object" && !exists(@."a"."0"))' +
        ` || exists(@."a" ? (@.type() == "object" && exists(@."0") && ${afterKey}))` +
        ` || (@."a".type() == "array" && ${afterPosition})))`,
    );
  });

  it('read up to three numbers as positions, and further numbers as keys', () => {
    const positions = (name: string) =>
      valuePaths(field(name)).map((path) => [...path.matchAll(/\[(\d+)\]/g)].map(([, position]) => position));
    const longest = (name: string) => positions(name).reduce((a, b) => (b.length > a.length ? b : a));
    expect(valuePaths(field('a.1.2.3'))).toHaveLength(1 + 8);
    expect(valuePaths(field('a.1.2.3.4'))).toHaveLength(1 + 8);
    expect(valuePaths(field('a.1.x.2.y.3.4'))).toHaveLength(1 + 8);
    expect([...new Set(longest('a.1.2.3'))].sort()).toEqual(['1', '2', '3']);
    expect(positions('a.1.2.3.4').flat()).not.toContain('4');
    expect(missingTest(field('a.1.2.3.4'))).toContain('[1][2][3]');
    expect(missingTest(field('a.1.2.3.4'))).not.toContain('[4]');
    expect(missingTest(field('a.1.2.3.4')).match(/\[\d\]/g)?.length).toBe(56);
  });

  it.each(['0', '7', '10', '123456789'])('read %s as a position', (step) => {
    expect(valuePaths(field(`a.${step}`))).toHaveLength(3);
    expect(missingTest(field(`a.${step}`))).toContain(`[${step}]`);
  });

  it.each(['01', '1234567890', '-1', 'x1', '1x', '1 ', 'x', '０', '٣', '0.x0'])(
    'read %s as a key',
    (step) => {
      const paths = valuePaths(field(`a.${step}`));
      expect(paths.filter((path) => path.includes(`[${step}]`))).toEqual([]);
      expect(missingTest(field(`a.${step}`))).not.toContain(`[${step}]`);
    },
  );
});
