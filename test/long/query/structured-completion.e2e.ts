import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CompletionService } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import { readEvents, streamedText } from '../../support/event-stream.js';
import { NESTED_SCHEMAS } from '../../support/nested-schemas.js';

const MANUAL = `# Nimbus Router X200

The router weighs 480 g and has a warranty of 24 months. It supports WPA3 encryption and is not waterproof.
It was designed by Maria Keller and first sold on 12 March 2019. The available colours are red, green and blue.`;

/** Validates a value independently of the service. */
function isValid(schema: object | boolean, value: unknown): boolean {
  const isOld = typeof schema === 'object' && JSON.stringify(schema).includes('draft-07');
  const ajv = isOld ? new Ajv({ strict: false }) : new Ajv2020({ strict: false });
  formats.default(ajv);
  return ajv.validate(schema, value);
}

describe('a structured completion', () => {
  let home: CompletionService;
  beforeAll(async () => {
    home = await CompletionService.start();
    await new Documents(() => home.service.client).ingestText(MANUAL, { filename: 'manual.txt' });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  const ask = (model: string, schema: object | boolean, more: object = {}): Promise<Response> =>
    home.service.client.fetch('POST', '/query', {
      body: { query: 'What is known of the router?', schema, llm_config: { model }, ...more },
    });

  const usageOf = (body: unknown): number => (body as { usage: { total_tokens: number } }).usage.total_tokens;

  it('is tested with fifty schemas', () => {
    expect(NESTED_SCHEMAS).toHaveLength(50);
    expect(new Set(NESTED_SCHEMAS.map(({ schema }) => JSON.stringify(schema))).size).toBe(50);
  });

  describe.each(NESTED_SCHEMAS)('with the schema $name', ({ schema, instance }) => {
    const given = JSON.stringify(instance);

    it.each([
      ['obeys', `json:${given}`, 1],
      ['obeys once it is told what is wrong', `repaired:${given}`, 2],
    ])('is valid, whole and streamed, when the model %s', async (_, model, calls) => {
      const response = await ask(model, schema);
      const body = (await response.json()) as { completion: unknown };
      expect([response.status, body.completion]).toEqual([200, instance]);
      expect(isValid(schema, body.completion)).toBe(true);
      expect([home.provider.completions.length, usageOf(body)]).toEqual([calls, 18 * calls]);

      const events = await readEvents(await ask(model, schema, { stream_response: true }));
      const done = events.at(-1);
      expect(done).toMatchObject({ type: 'done', completion: instance });
      expect([home.provider.completions.length, usageOf(done)]).toEqual([2 * calls, 18 * calls]);
      if (calls === 1) expect(JSON.parse(streamedText(events))).toEqual(instance);
    });

    it('fails with a clear error if the model never follows the schema', async () => {
      const response = await ask('never-obeys', schema, { chat_id: 'wrong' });
      expect([response.status, await response.json()]).toEqual([
        502,
        { detail: expect.stringContaining('is not valid against the schema') as string },
      ]);
      const events = await readEvents(
        await ask('never-obeys', schema, { chat_id: 'wrong', stream_response: true }),
      );
      expect(events.at(-1)).toMatchObject({ type: 'error', status: 502 });
      expect(home.provider.completions).toHaveLength(4);
      expect((await home.service.client.get('/chat/wrong')).status).toBe(404);
    });
  });

  it('needs a language model: rejected at its location without one', async () => {
    const [{ schema }] = NESTED_SCHEMAS as readonly [(typeof NESTED_SCHEMAS)[number]];
    const response = await ask('extractive', schema);
    expect([response.status, await response.json()]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'schema'],
            msg: expect.stringContaining('LLM_MODEL') as string,
            type: 'value_error',
          },
        ],
      },
    ]);
    const asked = (type: object) =>
      home.service.client.post('/v1/chat/completions', {
        model: 'extractive',
        messages: [{ role: 'user', content: 'What is known of the router?' }],
        response_format: type,
      });
    expect((await asked({ type: 'json_object' })).json()).toMatchObject({
      detail: [{ loc: ['body', 'response_format', 'type'] }],
    });
    expect(
      (await asked({ type: 'json_schema', json_schema: { name: 'router', schema } })).json(),
    ).toMatchObject({ detail: [{ loc: ['body', 'response_format', 'json_schema', 'schema'] }] });
    expect(home.provider.completions).toEqual([]);
  });
});
