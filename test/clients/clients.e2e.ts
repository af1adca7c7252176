import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';

jest.setTimeout(300_000);

const run = promisify(execFile);
const FOLDER = __dirname;
const PYTHON = join(FOLDER, '.venv', 'bin', 'python');

/** What ends other than well throws with all that it printed. */
const runs = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  run(program, [...args], { cwd: FOLDER, env: { ...process.env, ...env } });

const AI_7 = ['ai', '@ai-sdk/openai-compatible'];
const AI_6 = ['ai6', 'ai6-openai-compatible'];

describe('a client that somebody else made', () => {
  let home: CompletionService;
  let environment: Readonly<Record<string, string>>;
  beforeAll(async () => {
    home = await CompletionService.start({ LLM_MODEL: 'hosted_vllm/model' });
    // It calls the function of this name once, and answers in the form that it is asked for.
    home.provider.alias('model', 'calls:lookup|obeys');
    const documents = new Documents(() => home.service.client);
    await documents.ingestText('The device weighs nine kilograms.', { metadata: { year: 2024 } });
    await documents.ingestText('The device weighs two kilograms.', { metadata: { year: 2025 } });
    environment = { LECTERN_URL: home.service.url, LECTERN_API_KEY: home.service.adminKey };
  });
  afterAll(() => home.stop());

  it.each([
    ...['openai', 'langchain', 'llama_index', 'litellm', 'instructor', 'pydantic_ai', 'mcp'],
    'generated',
  ])('in Python works: %s', async (name) => {
    await runs(PYTHON, [`${name}_client.py`], environment);
  });

  it.each([
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
