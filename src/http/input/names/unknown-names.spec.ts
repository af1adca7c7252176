import { ignoredHeader, judgeNames, wantsStrictHandling } from './unknown-names.js';

const KNOWN = [
  'query',
  'filters',
  'k',
  'min_score',
  'folder_name',
  'folder_depth',
  'end_user_id',
  'use_reranking',
  'output_format',
  'padding',
];

const judged = (names: readonly string[], more: object = {}) =>
  judgeNames(Object.fromEntries(names.map((name) => [name, 1])), {
    place: ['body'],
    known: KNOWN,
    elsewhere: { place: 'query string', known: [] },
    isStrict: false,
    isForeign: false,
    ...more,
  });
const hintIn = (name: string, more: object = {}): string | undefined => {
  const { refused } = judged([name], more);
  expect(refused.map(({ loc }) => loc)).toEqual(refused.length === 0 ? [] : [['body', name]]);
  return refused[0]?.msg.replace('Extra inputs are not permitted: ', '');
};

describe('unknown names', () => {
  it.each([
    ['filter', 'filters'],
    ['Filters', 'filters'],
    ['document_filters', 'filters'],
    ['where', 'filters'],
    ['fliters', 'filters'],
    ['top_k', 'k'],
    ['topK', 'k'],
    ['K', 'k'],
    ['limit', 'k'],
    ['folder', 'folder_name'],
    ['folderName', 'folder_name'],
    ['folder-names', 'folder_name'],
    ['folder_nmae', 'folder_name'],
    ['folder_ids', 'folder_name'],
    ['folderDepth', 'folder_depth'],
    ['user_id', 'end_user_id'],
    ['endUserId', 'end_user_id'],
    ['minScore', 'min_score'],
    ['score_threshold', 'min_score'],
    ['use_rerank', undefined],
    ['use_rerankin', 'use_reranking'],
    ['outputformat', 'output_format'],
    ['question', 'query'],
  ])('%s means %s', (name, meant) => {
    expect(hintIn(name)).toBe(meant === undefined ? undefined : `did you mean "${meant}"?`);
  });

  it.each(['graph_name', 'hop_depth', 'include_paths', 'perf', 'x', 'n', 'id', 'tag', 'quality', 'paddle'])(
    '%s means nothing, and is ignored',
    (name) => {
      expect(judged([name])).toEqual({ refused: [], ignored: [name] });
    },
  );

  it('that select documents are refused where the route takes them in another place, or not at all', () => {
    const elsewhere = { place: 'query string', known: ['folder_name'] };
    expect(hintIn('folder_name', { known: ['skip'], elsewhere })).toBe(
      '"folder_name" belongs into the query string',
    );
    expect(hintIn('folder', { known: ['skip'], elsewhere })).toBe(
      '"folder_name" belongs into the query string',
    );
    expect(hintIn('filters', { known: ['sources'] })).toBe('this route does not select documents by it');
    expect(hintIn('skip', { known: [], elsewhere: { place: 'body', known: ['skip'] } })).toBeUndefined();
  });

  it.each(['document_id', 'external_ids', 'fileIds', 'filename'])(
    '%s is refused where documents are selected by filters, and only there',
    (name) => {
      expect(hintIn(name)).toBe('this route does not select documents by it: use "filters"');
      expect(hintIn(name, { known: ['filename_prefix', 'content'] })).toBeUndefined();
      expect(hintIn(name, { isForeign: true })).toBeUndefined();
    },
  );

  it('that are null ask for nothing, unless the caller is strict', () => {
    const names = { place: ['body'], known: KNOWN, elsewhere: { place: 'query string', known: [] } };
    const given = { filter: null, graph_name: null };
    const loose = judgeNames(given, { ...names, isStrict: false, isForeign: false });
    expect(loose).toEqual({ refused: [], ignored: ['filter', 'graph_name'] });
    const strict = judgeNames(given, { ...names, isStrict: true, isForeign: false });
    expect(strict.refused.map(({ loc, type }) => [loc, type])).toEqual([
      [['body', 'filter'], 'extra_forbidden'],
      [['body', 'graph_name'], 'extra_forbidden'],
    ]);
  });

  it('of another protocol are mistakes only if they select documents', () => {
    const foreign = { isForeign: true };
    expect(hintIn('filter', foreign)).toBe('did you mean "filters"?');
    expect(hintIn('folder', foreign)).toBe('did you mean "folder_name"?');
    expect(hintIn('filters', { ...foreign, known: ['model', 'input'] })).toBe(
      'this route does not select documents by it',
    );
    for (const name of ['user', 'user_id', 'top_k', 'session_id', 'limit', 'store', 'service_tier']) {
      expect([name, hintIn(name, foreign)]).toEqual([name, undefined]);
    }
  });

  it('are listed in a header of bounded length, without what a header cannot have', () => {
    expect(ignoredHeader(['graph_name', 'a\r\nset-cookie: b', 'ä', 'x'.repeat(100)])).toBe(
      `graph_name, a??set-cookie??b, ?, ${'x'.repeat(64)}`,
    );
    const many = ignoredHeader(Array.from({ length: 1_000 }, (_, at) => `${'n'.repeat(90)}${at}`));
    expect(many).toMatch(/, 980 more$/);
    expect(many.length).toBeLessThan(1_500);
  });

  it.each([
    ['handling=strict', true],
    ['respond-async, handling=strict; wait=10', true],
    ['Handling = "strict"', true],
    ['handling=lenient', false],
    ['handling=strictly', false],
    ['xhandling=strict', false],
    [undefined, false],
  ])('are all refused for %s: %s', (prefer, isStrict) => {
    expect(wantsStrictHandling(prefer)).toBe(isStrict);
  });
});
