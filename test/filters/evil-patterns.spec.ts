import { RE2JS } from 're2js';
import { translatePattern } from '../../src/filters/regex/pattern.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';
import { EVIL, EVIL_TEXTS } from './evil.js';

describe('a catastrophic pattern over 100 KB', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  it.each(EVIL.map((source) => [source.length > 60 ? `${source.slice(0, 60)}...` : source, source]))(
    'is rejected, or matches as in RE2: %s',
    async (_, source) => {
      const translated = translatePattern(source, '');
      if (!('are' in translated)) {
        expect(translated.defect).toMatch(/^(the pattern is too complex: |error parsing regexp: )/);
        return;
      }
      const re2 = RE2JS.compile(source);
      const rows: readonly { readonly matches: boolean }[] = await database.dataSource.query(
        'select text collate "C" ~ $2::text as matches from unnest($1::text[]) with ordinality as each(text, place) order by place',
        [EVIL_TEXTS, translated.are],
      );
      expect(rows.map((row) => row.matches)).toEqual(EVIL_TEXTS.map((text) => re2.test(text)));
    },
  );
});
