import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

interface Explained {
  readonly score: number;
  readonly is_padding: boolean;
  readonly score_parts?: {
    readonly dense: number;
    readonly lexical: number;
    readonly weights: { readonly dense: number; readonly lexical: number };
  };
}

describe('score components', () => {
  let service: SharedService;
  const ask = async (body: object): Promise<{ readonly chunks: Explained[]; readonly text: string }> => {
    const { text, json } = await service.client.post('/retrieve/chunks', body);
    return { chunks: json() as Explained[], text };
  };
  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    await documents.ingestText(
      'The harbour lamp is lit at dusk. Its keeper is relieved every Tuesday at noon.',
    );
    await documents.ingestText('Sensor cables may be up to 25 metres long.');
  });
  afterAll(() => service.stop());

  it('add up to the score, weighted', async () => {
    const { chunks } = await ask({ query: 'When is the keeper relieved?', explain: true });
    expect(chunks).toHaveLength(2);
    for (const { score, score_parts: parts } of chunks) {
      const { dense, lexical, weights } = parts!;
      expect(Math.min(dense, lexical)).toBeGreaterThanOrEqual(0);
      expect(Math.max(dense, lexical)).toBeLessThanOrEqual(1);
      expect(weights.dense * dense + weights.lexical * lexical).toBeCloseTo(score, 9);
    }
    // One passage contains the words, the other none.
    expect(chunks.map(({ score_parts: parts }) => (parts?.lexical ?? 0) > 0.01)).toEqual([true, false]);
  });

  it('add up to the same score with use_colpali', async () => {
    const { chunks } = await ask({
      query: 'When is the keeper relieved?',
      explain: true,
      use_colpali: true,
      k: 1,
    });
    const { dense, lexical } = chunks[0]!.score_parts!;
    expect(0.74 * dense + 0.26 * lexical).toBeCloseTo(chunks[0]!.score, 9);
  });

  it('have no lexical component for a question of stop words', async () => {
    const { chunks } = await ask({ query: 'of the', explain: true });
    for (const { score, score_parts: parts } of chunks) {
      expect(parts).toEqual({
        dense: expect.closeTo(score, 9) as number,
        lexical: 0,
        weights: { dense: 1, lexical: 0 },
      });
    }
  });

  it('give the lexical component more weight for out-of-vocabulary words', async () => {
    const weightOf = async (query: string): Promise<number | undefined> =>
      (await ask({ query, explain: true })).chunks[0]?.score_parts?.weights.lexical;
    expect(await weightOf('When is the keeper relieved?')).toBeCloseTo(0.26, 9);
    const [within, alone] = [await weightOf('Who wrote ERR_3F2A91 there?'), await weightOf('ERR_3F2A91')];
    expect(within).toBeGreaterThan(0.4);
    expect(alone).toBeCloseTo(0.85, 9);
  });

  it('are returned only on request, and change nothing else', async () => {
    const body = { query: 'When is the keeper relieved?' };
    const [plain, refused, explained] = [
      await ask(body),
      await ask({ ...body, explain: false }),
      await ask({ ...body, explain: true }),
    ];
    expect(plain.text).not.toContain('score_parts');
    expect(refused.text).toBe(plain.text);
    const without = explained.chunks.map(({ score_parts: _, ...chunk }) => chunk);
    expect(JSON.stringify(without)).toBe(plain.text);
  });

  it('are not part of a completion', async () => {
    const answer = await service.client.post('/query', { query: 'keeper', explain: true });
    expect(answer.text).not.toContain('score_parts');
  });
});
