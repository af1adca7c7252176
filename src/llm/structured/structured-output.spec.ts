import { FakeProvider } from '../../../test/support/fake-provider/fake-provider.js';
import { settingsWith } from '../../../test/support/settings.js';
import { ProviderFailed } from '../../errors/index.js';
import type { CompletionRequest, LanguageModel } from '../language-model.js';
import { configuredLanguageModel } from '../language-models.js';
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
    configuredLanguageModel(
      settingsWith({ LLM_MODEL: `hosted_vllm/${behaviour}`, LLM_API_BASE: provider.url }),
    );

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

  it('asks for the schema mode of the provider first', async () => {
    await expect(complete('obeys')).resolves.toMatchObject({
      value: { name: 'x', parts: [{}] },
      finishReason: 'stop',
    });
    expect(formats()).toEqual(['json_schema']);
    expect(provider.last.body.response_format?.json_schema).toMatchObject({ schema: SCHEMA, strict: false });
  });

  it('asks for strictness where the schema allows it', async () => {
    await complete('obeys', {
      ...SCHEMA,
      required: ['name'],
      properties: { name: { type: 'string' } },
      additionalProperties: false,
    });
    expect(provider.last.body.response_format?.json_schema?.strict).toBe(true);
  });

  it('falls back to JSON mode and to plain text, and remembers', async () => {
    const configured = modelOf('obeys|prose|no-json-mode');
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['json_schema', 'json_object', 'text']);
    provider.forget();
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['text']);
  });

  it('does not take a request that is refused whatever its format for a refusal of the formats', async () => {
    const configured = modelOf('status:400x3|obeys');
    const ask = (): Promise<StructuredCompletion> =>
      output.complete(configured, asking(), compileSchema(SCHEMA));
    await expect(ask()).rejects.toThrow(ProviderFailed);
    await ask();
    expect(formats()).toEqual(['json_schema', 'json_object', 'text', 'json_schema']);
  });

  it('remembers of a schema mode which schema it refused, not that it refused one', async () => {
    const configured = modelOf('status:400x1|obeys');
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    const other = { ...SCHEMA, title: 'Another' };
    await output.complete(configured, asking(other), compileSchema(other));
    await output.complete(configured, asking(), compileSchema(SCHEMA));
    expect(formats()).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object']);
  });

  it('uses JSON mode where there is no schema mode', async () => {
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

  it('asks once more with what is wrong, and counts both calls', async () => {
    const completed = await complete('obeys-after-repair');
    expect(completed.value).toEqual({ name: 'x', parts: [{}] });
    expect(completed.usage).toEqual({ promptTokens: 22, completionTokens: 14 });
    expect(provider.completions).toHaveLength(2);
    expect(provider.last.question).toContain('not valid');
  });

  it.each(['never-obeys', 'echoes-schema', 'text:just prose', 'text:'])(
    'fails clearly when the model %s',
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
  ])('asks for %j in a format that can carry it', async (schema, expected) => {
    const { value } = await complete('obeys', schema as JsonSchema);
    expect(compileSchema(schema as JsonSchema).problemsOf(value)).toEqual([]);
    expect(formats()).toEqual(expected);
  });

  it('streams the JSON text as it is produced and ends with the value', async () => {
    const events = [];
    const configured = modelOf('obeys|no-schema-mode|pieces:5');
    for await (const event of output.stream(configured, asking(), compileSchema(SCHEMA))) events.push(event);
    const text = events.flatMap((event) => (event.type === 'delta' ? event.text : [])).join('');
    expect(JSON.parse(text)).toEqual({ name: 'x', parts: [{}] });
    expect(events.at(-1)).toMatchObject({ type: 'end', value: { name: 'x', parts: [{}] } });
  });

  it('repairs a stream too', async () => {
    const events = [];
    const configured = modelOf('obeys-after-repair');
    for await (const event of output.stream(configured, asking(), compileSchema(SCHEMA))) events.push(event);
    expect(events.at(-1)).toMatchObject({ value: { name: 'x', parts: [{}] }, usage: { promptTokens: 22 } });
  });
});
