import { INVALID_QUERIES, INVALID_RETRIEVALS } from '../../test/support/invalid-bodies.js';
import { itemsFor, readBody } from '../../test/support/read-body.js';
import { QueryDto, toQueryRequest } from './query.dto.js';

describe('a completion request', () => {
  it.each([...INVALID_RETRIEVALS, ...INVALID_QUERIES])('is refused for $why', ({ body, items }) => {
    expect(itemsFor(QueryDto, body)).toEqual(items);
  });

  it('reports the fields of retrieval before its own', () => {
    expect(itemsFor(QueryDto, { query: 'a', max_tokens: 0, k: 0 }).map(({ loc }) => loc[1])).toEqual([
      'k',
      'max_tokens',
    ]);
  });

  it('has the documented defaults, also for null', () => {
    const nulls = {
      query: 'a',
      max_tokens: null,
      temperature: null,
      prompt_overrides: null,
      schema: null,
      chat_id: null,
      stream_response: null,
      llm_config: null,
      inline_citations: null,
    };
    const defaults = toQueryRequest(readBody(QueryDto, { query: 'a' }));
    expect(toQueryRequest(readBody(QueryDto, nulls))).toEqual(defaults);
    expect(defaults.turn).toMatchObject({
      maxTokens: null,
      temperature: null,
      schema: null,
      citations: 'none',
    });
  });

  it('carries overrides', () => {
    const { prompts } = toQueryRequest(
      readBody(QueryDto, {
        query: 'a',
        prompt_overrides: {
          entity_extraction: { examples: [{ label: 'A', type: 'T', properties: { n: 1 } }] },
          entity_resolution: null,
          query: { prompt_template: '{context}{question}', system_prompt: 's' },
        },
      }),
    ).turn;
    expect(prompts).toEqual({
      instructions: 's',
      template: '{context}{question}',
      extraction: { template: null, examples: [{ label: 'A', type: 'T', properties: { n: 1 } }] },
      resolution: null,
    });
  });
});
