import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';

const run = promisify(execFile);
const FOLDER = __dirname;
const PYTHON = join(FOLDER, '.venv', 'bin', 'python');

/** Runs a program; a non-zero exit throws with its whole output. */
const runs = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  run(program, [...args], { cwd: FOLDER, env: { ...process.env, ...env } });

/** Creates a vector store with one file. */
async function storeOf(url: string, apiKey: string): Promise<string> {
  const { vectorStores } = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  const { id } = await vectorStores.create({ name: 'Weights' });
  const file = await toFile(Buffer.from('The device weighs nine kilograms.'), 'weights.txt');
  await vectorStores.files.uploadAndPoll(id, file);
  return id;
}

const AI_7 = ['ai', '@ai-sdk/openai-compatible'];
const AI_6 = ['ai6', 'ai6-openai-compatible'];

/** Cites a sentence of the best passage. */
const ANSWER = 'The device weighs nine kilograms [[1]].';

describe('a third-party client', () => {
  let home: CompletionService;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/model' });
    // The model calls the function of this name once, then answers in the requested format.
    home.provider.alias('model', `calls:lookup|obeys|text:${ANSWER}`);
    const documents = new Documents(() => home.service.client);
    await documents.ingestText('The device weighs nine kilograms.', { metadata: { year: 2024 } });
    await documents.ingestText('The device weighs two kilograms.', { metadata: { year: 2025 } });
    const { url, adminKey } = home.service;
    environment = {
      ...{ LECTERN_URL: url, LECTERN_API_KEY: adminKey, LECTERN_STORE: await storeOf(url, adminKey) },
      // The only changes of an application of OpenAI.
      ...{ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: adminKey },
    };
  });
  afterAll(() => home.stop());

  it.each([
    ...['openai_defaults', 'openai_agents', 'langchain_defaults', 'llama_index_defaults'],
    ...['litellm_defaults', 'instructor_defaults', 'pydantic_ai_defaults'],
    ...['openai', 'langchain', 'llama_index', 'litellm', 'instructor', 'pydantic_ai', 'mcp'],
    'generated',
  ])('in Python works: %s', async (name) => {
    await runs(PYTHON, [`${name}_client.py`], environment);
  });

  it.each([
    ['openai-defaults', []],
    ['openai-agents', []],
    ['langchain-defaults', []],
    ['ai-sdk-defaults', ['ai', '@ai-sdk/openai']],
    ['ai-sdk-defaults', ['ai6', 'ai6-openai']],
    ['openai', []],
    ['langchain', []],
    ['ai-sdk', AI_7],
    ['ai-sdk', AI_6],
    ['lectern-search', []],
    ['mcp', []],
    ['open-webui', []],
    ['generated', ['hey-api']],
    ['generated', ['orval']],
  ])('in JavaScript works: %s %j', async (name, args) => {
    await runs(process.execPath, [`${name}.mjs`, ...args], environment);
  });
});
