import { FakeProvider } from '../../../../test/support/fake-provider/fake-provider.js';
import { settingsWith } from '../../../../test/support/settings.js';
import { ProviderFailed } from '../../../errors/index.js';
import type { CompletionRequest, LanguageModel } from '../language-model.js';
import { inEnvironment } from '../configured-model.js';
import { schemaRules } from '../prompt-parts.js';
import { compileSchema } from './compile-schema.js';
import type { JsonSchema } from './json-schema.js';
import { StructuredOutput, type StructuredCompletion } from './structured-output.js';

const SCHEMA = {
  type: 'object',
  required: ['name', 'parts'],
  properties: { name: { type: 'string' }, parts: { type: 'array', items: { type: 'object' } } },
} as const;

describe('structured output', () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await FakeProvider.start();
  });
  afterAll(() => provider.close());
  beforeEach(() => {
    provider.forget();
  });

  const output = new StructuredOutput();
  const modelOf = (behaviour: string): LanguageModel =>
    inEnvironment(settingsWith({ LLM_MODEL: `hosted_vllm/${behaviour}`, LLM_API_BASE: provider.url })).model;

  function asking(schema: JsonSchema = SCHEMA): CompletionRequest {
    return {
      messages: [{ role: 'user', content: schemaRules(schema) }],
      format: { kind: 'text' },
      maxTokens: null,
      temperature: null,
    };
  }

  function complete(behaviour: string, schema: JsonSchema = SCHEMA): Promise<StructuredCompletion> {
    return output.complete(modelOf(behaviour), asking(schema), compileSchema(schema));
  }

  const formats = (): unknown[] =>
    provider.completions.map(({ body }) => body.response_format?.type ?? 'text');

  it("tries the provider's schema mode first", async () => {
    await expect(complete('obeys')).resolves.toMatchObject({
      value: { name: 'x', parts: [{}] },
      finishReason: 'stop',
    });
    expect(formats()).toEqual(['json_schema']);
    expect(provider.last.body.response_format?.json_schema).toMatchObject({ schema: SCHEMA, strict: false });
  });

  it('requests strict mode when the schema allows it', async () => {
    await complete('obeys', {
      ...SCHEMA,
      required: ['name'],
      properties: { name: { type: 'string' } },
      additionalProperties: false,
    });
    expect(provider.last.body.response_format?.json_schema?.strict).toBe(true);
  });

  it('falls back to JSON mode and to plain text, and remembers the refused formats', async () => {
    const configured = modelOf('obeys|prose|no-json-mode');
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['json_schema', 'json_object', 'text']);
    provider.forget();
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['text']);
  });

  it('does not remember formats when the provider refuses every format', async () => {
    const configured = modelOf('status:400x3|obeys');
    const ask = (): Promise<StructuredCompletion> =>
      output.complete(configured, asking(), compileSchema(SCHEMA));
    await expect(ask()).rejects.toThrow(ProviderFailed);
    await ask();
    expect(formats()).toEqual(['json_schema', 'json_object', 'text', 'json_schema']);
  });

  it('remembers a refusal of the schema mode only for the refused schema', async () => {
    const configured = modelOf('status:400x1|obeys');
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    const other = { ...SCHEMA, title: 'Another' };
    await output.complete(configured, asking(other), compileSchema(other));
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object']);
  });

  it('uses JSON mode when the provider has no schema mode', async () => {
    await complete('obeys|no-schema-mode');
    expect(formats()).toEqual(['json_schema', 'json_object']);
  });

  it('finds the value in prose and code fences', async () => {
    await expect(complete('obeys|prose')).resolves.toMatchObject({ value: { name: 'x', parts: [{}] } });
  });

  it('keeps every digit of a number', async () => {
    const { value } = await complete('json:{"name": 12345678901234567890}', {
      type: 'object',
      required: ['name'],
    });
    expect(String((value as { name: unknown }).name)).toBe('12345678901234567890');
  });

  it('sends one repair request with the violations, and sums the usage of both calls', async () => {
    const completed = await complete('obeys-after-repair');
    expect(completed.value).toEqual({ name: 'x', parts: [{}] });
    expect(completed.usage).toEqual({ promptTokens: 22, completionTokens: 14 });
    expect(provider.completions).toHaveLength(2);
    expect(provider.last.question).toContain('not valid');
  });

  it.each(['never-obeys', 'echoes-schema', 'text:just prose', 'text:'])(
    'fails with WrongShape when the model %s',
    async (behaviour) => {
      await expect(complete(behaviour)).rejects.toThrow(ProviderFailed);
      expect(provider.completions).toHaveLength(2);
    },
  );

  it('fails when every format is refused', async () => {
    await expect(complete('status:400')).rejects.toThrow(ProviderFailed);
    expect(formats()).toEqual(['json_schema', 'json_object', 'text']);
  });

  it.each<[unknown, string[]]>([
    [true, ['json_object']],
    [{ type: 'array', items: { type: 'integer' } }, ['text']],
    [{ type: 'string' }, ['text']],
    [{ enum: ['a', 'b'] }, ['text']],
    [{ properties: { a: {} }, required: ['a'] }, ['json_object']],
  ])('requests %j in a suitable format', async (schema, expected) => {
    const { value } = await complete('obeys', schema as JsonSchema);
    expect(compileSchema(schema as JsonSchema).problemsOf(value)).toEqual([]);
    expect(formats()).toEqual(expected);
  });

  it('streams the JSON text and ends with the value', async () => {
    const events = [];
    const configured = modelOf('obeys|no-schema-mode|pieces:5');
    for await (const event of output.stream(configured, asking(), compileSchema(SCHEMA))) events.push(event);
    const text = events.flatMap((event) => (event.type === 'delta' ? event.text : [])).join('');
    expect(JSON.parse(text)).toEqual({ name: 'x', parts: [{}] });
    expect(events.at(-1)).toMatchObject({ type: 'end', value: { name: 'x', parts: [{}] } });
  });

  it('repairs an invalid streamed answer', async () => {
    const events = [];
    const configured = modelOf('obeys-after-repair');
    for await (const event of output.stream(configured, asking(), compileSchema(SCHEMA))) events.push(event);
    expect(events.at(-1)).toMatchObject({ value: { name: 'x', parts: [{}] }, usage: { promptTokens: 22 } });
  });
});
