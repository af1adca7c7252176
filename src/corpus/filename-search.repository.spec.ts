import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { scopeOf } from '../auth/scope.js';
import { FilenameSearchRepository, filenameSearchStatement } from './filename-search.repository.js';

const ALPHA = scopeOf('alpha', ['read'], 'key');
const BETA = scopeOf('beta', ['read'], 'key');

describe('FilenameSearchRepository', () => {
  let database: TestDatabase;
  let repository: FilenameSearchRepository;
  beforeAll(async () => {
    database = await openTestDatabase();
    repository = new FilenameSearchRepository(database.dataSource);
    await database.dataSource.query(
      "insert into apps (app_id, name) values ('alpha', 'alpha'), ('beta', 'beta')",
    );
  }, 60_000);
  beforeEach(() => database.dataSource.query('delete from documents'));
  afterAll(() => database.close());

  async function store(names: readonly (string | null)[], appId = 'alpha', folder: string | null = null) {
    for (const [index, name] of names.entries()) {
      await database.dataSource.query(
        `insert into documents (app_id, external_id, status, content_type, filename, folder_path, updated_at)
         values ($1, $2, 'completed', 'text/plain', $3, $4, timestamptz '2026-01-01' + $5 * interval '1 hour')`,
        [appId, randomUUID(), name, folder, index],
      );
    }
  }

  async function found(text: string, limit = 100): Promise<(string | null)[]> {
    return (await repository.search(ALPHA, {}, text, limit)).map(({ filename }) => filename);
  }

  it('returns the best matches first', async () => {
    await store([
      'report of the annual meeting.pdf',
      'biannual reports.pdf',
      'my annual-report 2025.pdf',
      'annual report',
      'annual reporting.txt',
      'Annual Report.pdf',
      'annual.pdf',
      null,
    ]);
    expect(await found('annual report')).toEqual([
      'annual report',
      'Annual Report.pdf',
      'annual reporting.txt',
      'my annual-report 2025.pdf',
      'biannual reports.pdf',
      'report of the annual meeting.pdf',
    ]);
    expect(await found('annual report', 2)).toEqual(['annual report', 'Annual Report.pdf']);
  });

  it('orders ties by length, then by the last change', async () => {
    await store(['a-x.txt', 'b-x.txt', 'longer-x.txt']);
    expect(await found('x')).toEqual(['b-x.txt', 'a-x.txt', 'longer-x.txt']);
  });

  it.each<[string, string, readonly string[]]>([
    ['a percent sign', '100%', ['at 100% now.txt']],
    ['an underscore', 'a_b', ['a_b.txt', 'a-b.txt']],
    ['a backslash', 'c\\d', ['c\\d.txt']],
    ['a quote', "it's", ["it's.txt"]],
    ['a dot', 'b.t', ['a_b.txt', 'a-b.txt', 'axb.txt']],
    ['brackets', '[1]', ['notes[1].txt']],
    ['separators alone', '-', ['a-b.txt']],
  ])('matches special characters literally: %s', async (_, text, names) => {
    await store([
      'at 100% now.txt',
      'at 1000.txt',
      'a_b.txt',
      'a-b.txt',
      'axb.txt',
      'c\\d.txt',
      "it's.txt",
      'notes[1].txt',
    ]);
    expect((await found(text)).sort()).toEqual([...names].sort());
  });

  it.each<[string, string]>([
    ['STRASSE', 'strasse 1.txt'],
    ['müller', 'MÜLLER.pdf'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος.txt'],
    ['kelvin', '\u212aelvin.txt'],
    ['\u212aELVIN', 'kelvin.txt'],
    ['mosſe', 'MOSSE.txt'],
    ['報告', '年次報告書.pdf'],
    ['𐐀', '𐐨.txt'],
  ])('ignores case: %s in %s', async (text, name) => {
    await store([name, 'other.txt']);
    expect(await found(text)).toEqual([name]);
  });

  it.each<[string, readonly string[]]>([
    ['2025 budget', ['budget-2025_final.xlsx']],
    ['BUDGET Final', ['budget-2025_final.xlsx']],
    ['budget 202', []],
    ['budget draft', []],
    ['  final ', ['budget-2025_final.xlsx']],
  ])('matches all words of the query: %s', async (text, names) => {
    await store(['budget-2025_final.xlsx', 'other.txt']);
    expect(await found(text)).toEqual(names);
  });

  it('returns documents of the tenant and the selection only', async () => {
    await store(['plan.txt'], 'beta');
    await store(['plan a.txt'], 'alpha', '/plans');
    await store(['plan b.txt'], 'alpha', '/other');
    expect((await found('plan')).sort()).toEqual(['plan a.txt', 'plan b.txt']);
    const inFolder = await repository.search(ALPHA, { folders: ['/plans'] }, 'plan', 10);
    expect(inFolder.map(({ filename }) => filename)).toEqual(['plan a.txt']);
    expect(await repository.search(BETA, { folders: ['/plans'] }, 'plan', 10)).toEqual([]);
  });

  it('uses the trigram index', async () => {
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, filename)
       select 'alpha', gen_random_uuid(), 'completed', 'text/plain', md5(n::text) || '.txt' from generate_series(1, 5000) as n`,
    );
    await database.dataSource.query('vacuum analyze documents');
    const { text, values } = filenameSearchStatement(ALPHA, {}, 'annual meeting', 10);
    const plan: readonly Record<string, string>[] = await database.dataSource.query(
      `explain ${text}`,
      values,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('documents_filename_trigrams');
  });
});
