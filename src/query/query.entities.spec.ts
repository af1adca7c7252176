import { AskedManual } from '../../test/support/query-service.js';

describe('answering a question with entities', () => {
  const asked = new AskedManual();
  const { ask, retrieval } = asked;

  const overrides = {
    entity_resolution: { examples: [{ canonical: 'Lyra', variants: ['LR-1', 'Lyra device'] }] },
    entity_extraction: { examples: [{ label: 'Lyra', type: 'PRODUCT', properties: { maker: 'Acme' } }] },
  };

  it('extracts them with the prompts and examples of the request', async () => {
    const entity = { label: 'Lyra', type: 'PRODUCT', properties: {} };
    const group = { canonical: 'Lyra', variants: ['LR-1'] };
    const model = `json:${JSON.stringify({ entities: [entity], groups: [group] })}`;
    const template = { prompt_template: 'Find in {content} like {examples} {"keep": 1}' };
    const { metadata, usage } = await ask(model, {
      query: 'How heavy is Lyra?',
      prompt_overrides: {
        ...overrides,
        entity_extraction: { ...overrides.entity_extraction, ...template },
      },
    });
    expect(metadata.entities).toEqual([{ ...entity, ...group }]);
    expect(retrieval.requests.at(-1)?.lexicalExpansion).toEqual(['LR-1']);
    expect(usage.total_tokens).toBe(54);
    const [extraction, resolution] = asked.provider.completions.map((call) => call.question);
    expect(extraction).toMatch(/^Find in How heavy is Lyra\? like \[\n/);
    expect(extraction).toContain('"maker": "Acme"');
    expect(extraction).toContain('{"keep": 1}');
    expect(resolution).toContain('- Lyra (PRODUCT)');
    expect(resolution).toContain('"Lyra device"');
  });

  const LONG = 'Lyra '.repeat(3_000);
  it.each<[string[], object]>([
    [['query'], { query: LONG, prompt_overrides: { entity_extraction: {} } }],
    [
      ['prompt_overrides', 'entity_extraction', 'prompt_template'],
      { prompt_overrides: { entity_extraction: { prompt_template: `{content} {examples} ${LONG}` } } },
    ],
    [
      ['prompt_overrides', 'entity_extraction', 'examples'],
      { prompt_overrides: { entity_extraction: { examples: [{ label: LONG, type: 'PRODUCT' }] } } },
    ],
    [
      ['prompt_overrides', 'entity_resolution', 'prompt_template'],
      {
        prompt_overrides: {
          entity_resolution: { prompt_template: `{entities_str}{examples_json}${LONG}` },
        },
      },
    ],
    [
      ['prompt_overrides', 'entity_resolution', 'examples'],
      { prompt_overrides: { entity_resolution: { examples: [{ canonical: 'Lyra', variants: [LONG] }] } } },
    ],
  ])('rejects a prompt that exceeds the window at %j, before any model call', async (place, body) => {
    const refused = ask('plain', { ...body, llm_config: { context_window: 2_048 } });
    await expect(refused).rejects.toMatchObject({
      items: [{ loc: ['body', ...place], msg: expect.stringContaining('2048 tokens') as string }],
    });
    expect(asked.provider.completions).toEqual([]);
  });

  it('merges as many entities as fit into the window, and keeps the others', async () => {
    const entities = Array.from({ length: 400 }, (_, index) => ({
      label: `Lyra ${index}`,
      type: 'PRODUCT',
    }));
    const model = `json:${JSON.stringify({ entities, groups: [{ canonical: 'Lyra', variants: ['Lyra 0'] }] })}`;
    const { metadata } = await ask(model, {
      prompt_overrides: { entity_resolution: {} },
      llm_config: { context_window: 2_048 },
    });
    expect(metadata.entities).toHaveLength(400);
    expect(metadata.entities?.[0]?.canonical).toBe('Lyra');
    const resolution = asked.provider.completions[1]?.question ?? '';
    expect(resolution).toContain('- Lyra 0 (PRODUCT)');
    expect(resolution).not.toContain('- Lyra 399 (PRODUCT)');
  });

  it.each([
    ['extraction', 'text:The Lyra, I think.', [], 'No entities: ', 3],
    [
      'resolution',
      `json:${JSON.stringify({ entities: [{ label: 'Lyra', type: 'PRODUCT' }], groups: 'none' })}`,
      [{ label: 'Lyra', type: 'PRODUCT', properties: {}, canonical: 'Lyra', variants: [] }],
      'Entities without variants: ',
      4,
    ],
  ])(
    'answers without entities after an invalid model answer (%s), adds a note, and counts its tokens',
    async (_, model, entities, note, calls) => {
      const { completion, metadata, usage } = await ask(model, {
        query: 'How heavy is Lyra?',
        prompt_overrides: overrides,
      });
      expect(completion).not.toBe('');
      expect(metadata.entities).toEqual(entities);
      expect(metadata.notes).toEqual([
        expect.stringMatching(`^${note}The answer of .* is not valid against`),
      ]);
      expect(asked.provider.completions).toHaveLength(calls);
      expect(usage.total_tokens).toBe(18 * calls);
    },
  );

  it('fails if the provider fails', async () => {
    const failing = ask('status:401', { prompt_overrides: overrides });
    await expect(failing).rejects.toMatchObject({ status: 502 });
  });

  it('does neither by default', async () => {
    const { metadata } = await ask('plain', {});
    expect(metadata).not.toHaveProperty('entities');
    expect(metadata).not.toHaveProperty('notes');
    expect(asked.provider.completions).toHaveLength(1);
  });
});
