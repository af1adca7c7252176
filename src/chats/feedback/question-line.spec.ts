import { parseJson } from '../../json/exact-json.js';
import { questionLine } from './question-line.js';

describe('a line of a question file', () => {
  it('keeps every digit of a filter', () => {
    const cited = { document_id: 'd', page_number: null, quote: null };
    const evidence = { citations: [cited], sources: [] } as unknown as Parameters<
      typeof questionLine
    >[0]['evidence'];
    const search = parseJson('{"filters":{"number":9007199254740993}}') as Record<string, unknown>;
    expect(questionLine({ question: 'Which?', evidence, search, endUserId: null })).toBe(
      '{"question":"Which?","filters":{"number":9007199254740993},"document":"d"}',
    );
  });
});
