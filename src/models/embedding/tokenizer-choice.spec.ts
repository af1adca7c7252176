import { chooseTokenizer } from './tokenizer-choice.js';

describe('chooseTokenizer', () => {
  it('follows the embedding model', () => {
    expect(chooseTokenizer({ EMBEDDING_MODEL: 'local' }).kind).toBe('word-piece');
    expect(chooseTokenizer({ EMBEDDING_MODEL: 'local-multilingual' }).kind).toBe('unigram');
    expect(chooseTokenizer({ EMBEDDING_MODEL: 'openai/text-embedding-3-small' })).toEqual({
      kind: 'byte-pair',
    });
  });
});
