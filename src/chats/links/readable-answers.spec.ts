import { MAX_KEPT_SOURCES, type Evidence, type Source } from '../evidence.js';
import { readableAnswers } from './readable-answers.js';

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
const answer = (from: Evidence | null) => ({ role: 'assistant', content: 'Says it.', evidence: from });
const QUESTION = { role: 'user', content: 'What?', evidence: null };
const mayRead = (id: string): boolean => id.startsWith('open');
const shown = (turns: Parameters<typeof readableAnswers>[0], readsAll = false): boolean[] =>
  readableAnswers(turns, mayRead, readsAll).map(({ isWithheld }) => !isWithheld);

describe('an answer of a shared chat', () => {
  it('is withheld whole if one source is hidden, but for the sources that may be read', () => {
    const [question, first, second] = readableAnswers(
      [QUESTION, answer(evidence(['open-1'])), answer(evidence(['open-1', 'own']))],
      mayRead,
      false,
    );
    expect(question).toEqual({ ...QUESTION, isWithheld: false });
    expect(first).toEqual({ ...answer(evidence(['open-1'])), isWithheld: false });
    expect(second).toEqual({
      role: 'assistant',
      content: '',
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

  it('without sources is shown', () => {
    expect(shown([answer(evidence([]))])).toEqual([true]);
  });
});
