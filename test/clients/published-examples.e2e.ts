import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { FakeProvider } from '../support/fake-provider/fake-provider.js';
import {
  PUBLISHED_DOCUMENT,
  type PublishedExample,
  publishedExamples,
} from '../support/published-schemas.js';
import { Service } from '../support/service.js';

const run = promisify(execFile);
const PYTHON = join(__dirname, '.venv', 'bin', 'python');

/** Operations whose examples run; stored chat completions are not there. */
const OPERATIONS =
  /^\w+ \/(?:files|vector_stores|conversations|responses|embeddings|models)(?!.*\?beta)|^post \/chat\/completions$/;

/** Examples that fail: how, and why. */
const EXCEPTIONS: readonly (readonly [example: RegExp, failure: RegExp, reason: string])[] = [
  [/^post \/chat\/completions Default javascript/, /400/, 'it has no question, only a developer message'],
  [/^post \/chat\/completions Image input/, /400[^]*image_url/, 'addresses are not fetched'],
  [/^post \/chat\/completions Logprobs/, /400[^]*logprobs/, 'not all models provide them'],
  [/^post \/responses Image input/, /400[^]*image_url/, 'addresses are not fetched'],
  [/^post \/responses File input/, /400[^]*input_file/, 'addresses are not fetched'],
  [/^post \/responses Web search/, /400[^]*tools/, 'the service searches no web'],
  [/^post \/responses\/\{response_id\}\/cancel/, /400[^]*background/, 'there are no background responses'],
  [/^post \/responses\/(?:input_tokens|compact)/, /40[45]/, 'not there'],
  [/^post \/embeddings/, /404[^]*embedding model/, "vectors of OpenAI's model have another length"],
  [/^delete \/models/, /40[45]/, 'the service has no fine-tuned models'],
  [/file_batches\/\{batch_id\}\/cancel python/, /file_batch_id/, 'the client calls this argument batch_id'],
  [
    /\/conversations\/\{conversation_id\}\/items\/\{item_id\}/,
    /TypeError|invalid segments/,
    'the clients take the conversation as conversation_id',
  ],
];

/** Expected output of some examples. */
const PRINTED: readonly (readonly [example: RegExp, output: RegExp])[] = [
  [/ Functions /, /get_current_weather|tool_calls/],
  [/ File search /, /file_search_call/],
  [/^post \/responses Streaming/, /response\.completed|ResponseCompletedEvent/],
  [/^post \/responses (?:Text input|Reasoning)/, /completed/],
  [/items (?:javascript|python)$/, /msg_/],
];

/** Makes the things that a program names, and returns it with their ids. */
async function withIds(client: OpenAI, code: string): Promise<string> {
  const ids = new Map([['VAR_chat_model_id', 'lectern']]);
  const isNamed = (id: string): boolean => code.includes(id);
  const upload = async (): Promise<string> => {
    const file = await toFile(Buffer.from('An ancient brown dragon is wise and old.'), 'dragons.txt');
    return (await client.files.create({ file, purpose: 'assistants' })).id;
  };
  for (const file of ['file-abc123', 'file-abc456'].filter(isNamed)) ids.set(file, await upload());
  const files = [...ids].filter(([name]) => name.startsWith('file-')).map(([, id]) => id);
  for (const store of ['vs_abc123', 'vs_1234567890'].filter(isNamed)) {
    const { id } = await client.vectorStores.create({ name: 'Dragons', file_ids: files });
    if (files.length === 0) await client.vectorStores.files.createAndPoll(id, { file_id: await upload() });
    ids.set(store, id);
  }
  if (isNamed('vsfb_abc123')) {
    const body = { file_ids: [await upload()] };
    const { id } = await client.vectorStores.fileBatches.create(ids.get('vs_abc123') ?? '', body);
    ids.set('vsfb_abc123', id);
  }
  if (isNamed('resp_123')) {
    ids.set('resp_123', (await client.responses.create({ model: 'lectern', input: 'Hello!' })).id);
  }
  if (isNamed('conv_123')) {
    const { id } = await client.conversations.create({ items: [{ role: 'user', content: 'Hello!' }] });
    ids.set('conv_123', id);
    const { data } = await client.conversations.items.list(id);
    ids.set('msg_abc', data[0]?.id ?? '');
  }
  return [...ids].reduce((text, [name, id]) => text.replaceAll(name, id), code);
}

// OpenAI's document is not part of this repository.
if (!existsSync(PUBLISHED_DOCUMENT)) {
  it.skip(`runs OpenAI's examples: there is no ${PUBLISHED_DOCUMENT} (OPENAI_OPENAPI)`, () => undefined);
} else {
  const examples = publishedExamples(OPERATIONS).map(
    (example) => [`${example.name} ${example.language}`, example] as const,
  );

  describe("an example application of OpenAI's reference, with another base URL, key and ids,", () => {
    let provider: FakeProvider;
    let service: Service;
    let client: OpenAI;
    let folder: string;
    beforeAll(async () => {
      provider = await FakeProvider.start();
      provider.alias('model', 'calls:get_current_weather|text:It is wise [[1]].');
      service = await Service.start({
        LLM_MODEL: 'hosted_vllm/model',
        LLM_API_BASE: provider.url,
        LLM_API_KEY: 'none',
      });
      client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1` });
      folder = await mkdtemp(join(tmpdir(), 'lectern-examples-'));
      await symlink(join(__dirname, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'mydata.jsonl'), '{"messages": []}\n');
    });
    afterAll(async () => {
      await service.stop();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    });

    const runs = async ({ language, code }: PublishedExample): Promise<string> => {
      const program = await withIds(client, code);
      const [command, args] =
        language === 'python'
          ? [PYTHON, ['-c', program]]
          : [process.execPath, ['--input-type=module', '-e', program]];
      const env = { ...process.env, OPENAI_BASE_URL: `${service.url}/v1`, OPENAI_API_KEY: service.adminKey };
      return (await run(command, args, { cwd: folder, env })).stdout;
    };
    const exceptionFor = (name: string) => EXCEPTIONS.find(([example]) => example.test(name));

    it.each(examples.filter(([name]) => exceptionFor(name) === undefined))(
      'runs: %s',
      async (name, example) => {
        const output = await runs(example);
        for (const [, expected] of PRINTED.filter(([some]) => some.test(name))) {
          expect(output).toMatch(expected);
        }
      },
    );

    it.each(
      examples.flatMap(([name, example]) => {
        const [, failure, reason] = exceptionFor(name) ?? [];
        return failure === undefined ? [] : [[name, reason, failure, example] as const];
      }),
    )('fails: %s, because %s', async (_name, _reason, failure, example) => {
      await expect(runs(example)).rejects.toMatchObject({
        stderr: expect.stringMatching(failure) as string,
      });
    });

    it('is there for every exception', () => {
      expect(examples.length).toBeGreaterThan(80);
      const unused = EXCEPTIONS.filter(([exception]) => !examples.some(([name]) => exception.test(name)));
      expect(unused).toEqual([]);
    });
  });
}
