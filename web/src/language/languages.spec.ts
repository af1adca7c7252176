import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { FILES, LANGUAGES, languageFor, type Language } from './languages.js';
import { speak, t } from './translate.js';
import { words as english } from './en.js';
import type { Key, Words } from './words.js';

const PAGE = join(import.meta.dirname, '..');
const NAMES = Object.keys(LANGUAGES) as Language[];
const KEYS = Object.keys(english) as Key[];

type Part = ReturnType<IntlMessageFormat['getAst']>[number];
const TYPES = ['literal', 'argument', 'number', 'date', 'time', 'select', 'plural', 'pound', 'tag'];

interface Found {
  /** Values and tags, each with its type. */
  readonly names: Set<string>;
  /** Categories of each plural. */
  readonly plurals: string[][];
  /** The text of the message, without values. */
  text: string;
}

function foundIn(text: string, language: Language): Found {
  const found: Found = { names: new Set(), plurals: [], text: '' };
  collect(new IntlMessageFormat(text, language).getAst(), found);
  return found;
}

function collect(parts: readonly Part[], found: Found): void {
  for (const part of parts) {
    const type = TYPES[part.type]!;
    if (type === 'pound') continue;
    if (!('value' in part)) throw new Error(`no value in ${type}`);
    if (type === 'literal') found.text += part.value;
    else found.names.add(`${part.value} ${type}`);
    if ('options' in part) {
      const options = part.options as Record<string, { value: Part[] }>;
      if (type === 'plural') found.plurals.push(Object.keys(options));
      else found.names.add(`${part.value} ${Object.keys(options).sort().join('|')}`);
      for (const { value } of Object.values(options)) collect(value, found);
    }
    if ('children' in part) collect(part.children, found);
  }
}

describe.each(NAMES)('the texts in %s', (language) => {
  let words: Words;
  beforeAll(async () => {
    ({ words } = await FILES[language]());
  });

  it('have the keys of the English texts, in the order of the alphabet', () => {
    expect(Object.keys(words)).toEqual(KEYS.toSorted());
  });

  it('need the values and tags of the English texts', () => {
    const needed = (texts: Words, name: Language): unknown[] =>
      KEYS.map((key) => [key, [...foundIn(texts[key], name).names].sort()]);
    expect(needed(words, language)).toEqual(needed(english, 'en'));
  });

  it('have the plural forms of the language', () => {
    const rules = new Intl.PluralRules(language);
    const forms = [...new Set([...Array(200).keys()].map((count) => rules.select(count)))].sort();
    for (const key of KEYS) {
      for (const plural of foundIn(words[key], language).plurals) {
        expect([key, plural.filter((form) => !form.startsWith('=')).sort()]).toEqual([key, forms]);
      }
    }
  });

  it('are not empty, and begin and end without spaces', () => {
    for (const key of KEYS) expect([key, words[key]]).toEqual([key, expect.stringMatching(/^\S(.*\S)?$/s)]);
  });

  it('are translated', () => {
    if (language === 'en') return;
    const same = KEYS.filter(
      (key) =>
        words[key] === english[key] && /\p{L}{2,}( \p{L}{2,}){2}/u.test(foundIn(words[key], 'en').text),
    );
    expect(same).toEqual([]);
  });
});

describe('the texts of the page', () => {
  const sources = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.spec\.ts$|^language\/\w\w\.ts$/.test(path))
    .map((path) => readFileSync(join(PAGE, path), 'utf8'))
    .join('\n');

  it('are all used', () => {
    const families = [...sources.matchAll(/`([\w.]+\.)\$\{/g)].map(([, family]) => family!);
    const unused = KEYS.filter(
      (key) => !sources.includes(`'${key}'`) && !families.some((family) => key.startsWith(family)),
    );
    expect(unused).toEqual([]);
  });

  it('isolate names in a text from right to left', async () => {
    await speak('ar');
    expect(t('ask.source', { name: 'a.pdf' })).toContain('\u2068a.pdf\u2069');
    await speak('en');
    expect(t('ask.source', { name: 'a.pdf' })).toBe('Source: a.pdf');
  });
});

describe('the language of a reader', () => {
  it.each([
    [null, ['de-AT', 'en'], 'de', 'de-AT'],
    [null, ['nl', 'fr-CA', 'de'], 'fr', 'fr-CA'],
    [null, ['zh-Hant-TW'], 'zh', 'zh-Hant-TW'],
    [null, ['nl'], 'en', 'en'],
    [null, [], 'en', 'en'],
    ['es', ['de', 'es-MX'], 'es', 'es-MX'],
    ['ja', ['de'], 'ja', 'ja'],
    [null, ['ar-EG'], 'ar', 'ar-EG-u-nu-latn'],
  ] as const)('chosen %s, preferred %j: %s, with numbers of %s', (chosen, preferred, language, locale) => {
    expect(languageFor(chosen, preferred)).toEqual({ language, locale });
  });
});
