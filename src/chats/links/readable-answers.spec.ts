import { MAX_KEPT_SOURCES, type Evidence, type Source } from '../evidence.js';
import { hasText, readableAnswers, type SourceText } from './readable-answers.js';

const source = (id: string): Source => ({
  document_id: id,
  chunk_number: 0,
  score: 1,
  filename: `${id}.txt`,
  page_number: null,
  is_image: false,
  excerpt: `Words of ${id}.`,
});
const evidence = (ids: readonly string[], model = 'a-model'): Evidence => ({
  citations: ids.map((id) => ({
    ...{ start: 0, end: 1, text: '[1]', document_id: id, chunk_number: 0 },
    ...{ filename: null, page_number: null, quote: 'Words' },
  })),
  sources: ids.map(source),
  searched: 'what was searched',
  model,
});
const createdAt = new Date('2026-05-01T09:30:00Z');
const answer = (from: Evidence | null) => ({
  ...{ role: 'assistant', content: 'Says it.', createdAt },
  evidence: from,
});
const QUESTION = { role: 'user', content: 'What?', evidence: null, createdAt };
const mayRead = (id: string): boolean => id.startsWith('open');
const sight = { readsAll: false, mayRead, stillHas: () => true };
const shown = (turns: Parameters<typeof readableAnswers>[0], readsAll = false): boolean[] =>
  readableAnswers(turns, { ...sight, readsAll }).map(({ isWithheld }) => !isWithheld);

describe('an answer of a shared chat', () => {
  it('is withheld whole if one source is hidden, but for the sources that may be read', () => {
    const [question, first, second] = readableAnswers(
      [QUESTION, answer(evidence(['open-1'])), answer(evidence(['open-1', 'own']))],
      sight,
    );
    expect(question).toEqual({ ...QUESTION, isWithheld: false });
    expect(first).toEqual({ ...answer(evidence(['open-1'])), isWithheld: false });
    expect(second).toEqual({
      role: 'assistant',
      content: '',
      createdAt,
      evidence: { citations: [], sources: [source('open-1')] },
      isWithheld: true,
    });
  });

  it('of a model is withheld after a withheld one, which the model has read', () => {
    const [open, own] = [answer(evidence(['open'])), answer(evidence(['own']))];
    expect(shown([open, own, open, QUESTION, open])).toEqual([true, false, false, true, false]);
  });

  it('without a model is shown after a withheld one, because it quotes only its own sources', () => {
    const own = answer(evidence(['own'], 'extractive'));
    const open = answer(evidence(['open'], 'extractive'));
    expect(shown([own, open, answer(evidence(['open']))])).toEqual([false, true, false]);
  });

  it('is withheld if not all of its sources are recorded, except from whoever reads everything', () => {
    const many = answer(evidence(Array.from({ length: MAX_KEPT_SOURCES }, (_, number) => `open-${number}`)));
    expect([shown([many]), shown([many], true)]).toEqual([[false], [true]]);
    expect([shown([answer(null)]), shown([answer(null)], true)]).toEqual([[false], [true]]);
    expect(shown([answer(evidence(['deleted']))], true)).toEqual([false]);
  });

  it('is withheld if a document no longer has the text of a source, except from whoever reads everything', () => {
    const from = { ...evidence(['open-1', 'open-2']), source_fingerprints: ['one', 'two'] };
    const asked: unknown[] = [];
    const changed = {
      ...sight,
      stillHas: (text: SourceText) => {
        asked.push(text);
        return text.fingerprint === 'one';
      },
    };
    const [withheld] = readableAnswers([answer(from)], changed);
    expect(withheld).toMatchObject({ isWithheld: true, evidence: { sources: [source('open-1')] } });
    expect(asked).toContainEqual({
      ...{ documentId: 'open-2', filename: source('open-2').filename },
      ...{ fingerprint: 'two', answeredAt: createdAt },
    });
    expect(readableAnswers([answer(from)], { ...changed, readsAll: true })[0]).toMatchObject({
      isWithheld: false,
    });
    const older = answer(evidence(['open-1']));
    expect(readableAnswers([older], changed)[0]).toMatchObject({ isWithheld: true });
    expect(asked.at(-1)).toEqual({
      ...{ documentId: 'open-1', filename: source('open-1').filename },
      ...{ fingerprint: undefined, answeredAt: createdAt },
    });
  });

  it.each([
    ['one', ['one'], '2026-05-02', true],
    ['one', ['two'], null, false],
    [undefined, [], null, true],
    [undefined, [], '2026-05-01', true],
    [undefined, [], '2026-05-02', false],
  ])('has its text still: %s among %j, replaced at %s: %s', (fingerprint, fingerprints, at, expected) => {
    const replacedAt = at === null ? null : new Date(at);
    const text = { documentId: 'd', filename: 'pier.txt', fingerprints, replacedAt };
    const source = { filename: 'pier.txt', fingerprint, answeredAt: createdAt };
    expect(hasText(text, source)).toBe(expected);
    expect(hasText(undefined, source)).toBe(false);
    expect(hasText({ ...text, filename: 'boats.txt' }, source)).toBe(false);
    expect(hasText({ ...text, filename: null }, source)).toBe(false);
  });

  it('without sources is shown', () => {
    expect(shown([answer(evidence([]))])).toEqual([true]);
  });
});
