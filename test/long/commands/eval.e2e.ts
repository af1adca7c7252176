import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../evaluation/src/index.js';
import { CompletionService } from '../../support/completion-service.js';
import { Documents } from '../../support/documents.js';
import { startFlakyProxy } from '../../support/flaky-proxy.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { Service } from '../../support/service.js';

const MANUAL = 'greenhouse-controller-manual.md';
const REPORT = 'observatory-annual-report-2025.pdf';
const FERRY = 'ferry-visitor-information.html';

/** Lines of every kind. */
const QUESTIONS = [
  { question: 'What does error E07 mean?', document: MANUAL, answer: 'heater' },
  { question: 'What does error E11 mean?', quote: 'Clock battery low', answer: ['CR2032', 'battery'] },
  {
    question: 'How much did re-aluminising the main mirror cost?',
    document: REPORT,
    page: [1, 2, 3, 4],
  },
  { question: 'When does the last boat leave Torvig pier in winter?', relevant: { [FERRY]: 2, [MANUAL]: 1 } },
  { question: 'How warm is the seedling profile?', filters: { filename: MANUAL }, answer: '21 °C' },
  { question: 'Who is the harbour master of Atlantis?', document: FERRY, answer: 'Poseidon' },
];

describe('lectern eval', () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (const name of [MANUAL, REPORT, FERRY]) {
      await documents.ingestFile(name, await readFile(join('demo/documents', name)));
    }
    await documents.ingestText('One.', { filename: 'twice.txt' });
    await documents.ingestText('Two.', { filename: 'twice.txt' });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-eval-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function evaluate(
    lines: readonly (object | string)[],
    args: readonly string[] = [],
    url = service.url,
  ) {
    const path = join(folder, 'questions.jsonl');
    await writeFile(
      path,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
    return command([path, ...args], url);
  }
  const command = (args: readonly string[], url = service.url): Promise<Ended> =>
    ServiceProcess.spawn({ LECTERN_URL: url, LECTERN_API_KEY: service.adminKey }, 'dist/cli/lectern.js', [
      'eval',
      ...args,
    ]).end();
  const run = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Run;

  it("measures each question's expectation and writes JSON and HTML", async () => {
    const { code, output } = await evaluate(QUESTIONS, ['--out', join(folder, 'run.json')]);
    expect(code).toBe(0);
    expect(output).toContain('6 of 6');
    const { figures, latency, questions, failed } = await run('run.json');
    expect(failed).toBe(0);
    expect(
      questions.map(({ line, measures }) => [line, measures.recall_at_1, measures.answer_contained]),
    ).toEqual([
      [1, 1, 1],
      [2, 1, 1],
      [3, expect.closeTo(1 / 4), null],
      [4, 0.5, null],
      [5, null, 1],
      [6, expect.any(Number), 0],
    ]);
    expect(figures.answer_contained).toEqual({ mean: 0.75, questions: 4 });
    expect(figures.ndcg_at_10?.questions).toBe(5);
    expect(questions[0]?.measures.citation_precision).toBe(1);
    expect(questions[0]?.found[0]).toMatchObject({ filename: MANUAL, relevant: true });
    expect(latency.query?.p95).toBeGreaterThan(0);
    const page = await readFile(join(folder, 'run.html'), 'utf8');
    expect(page).toContain('Who is the harbour master of Atlantis?');
    expect(page).toContain('answer: Poseidon');
  });

  it('finds no difference to itself, and distinguishes differences from noise', async () => {
    const out = (name: string) => ['--out', join(folder, name)];
    const against = ['--against', join(folder, 'first.json')];
    await evaluate(QUESTIONS, out('first.json'));
    const { output, code } = await evaluate(QUESTIONS, [...out('second.json'), ...against]);
    expect(code).toBe(0);
    const compared = output.split('\n').filter((line) => line.includes('->'));
    expect(compared).toHaveLength(7);
    expect(compared.filter((line) => !line.endsWith('no difference'))).toEqual([]);

    const earlier = await run('first.json');
    const [first, ...others] = earlier.questions;
    const changed = [{ ...first, measures: { ...first?.measures, ndcg_at_10: 0.5 } }, ...others];
    await writeFile(join(folder, 'first.json'), JSON.stringify({ ...earlier, questions: changed }));
    const third = await evaluate(QUESTIONS, [...out('third.json'), ...against]);
    expect(third.output).toMatch(/nDCG@10 .*noise .*1 up, 0 down/);
    expect(await readFile(join(folder, 'third.html'), 'utf8')).toContain('Largest changes');

    const other = await evaluate([{ question: 'Who?', answer: 'me' }], [...out('other.json'), ...against]);
    expect([other.code, other.output]).toEqual([1, expect.stringContaining('nothing can be compared')]);
  });

  it('reports every invalid line before the first request', async () => {
    const asked: string[] = [];
    const proxy = await startFlakyProxy(service.url, ({ url }) => {
      asked.push(url ?? '');
      return 'pass';
    });
    const lines = [
      QUESTIONS[0] ?? '',
      '{"question": ',
      '',
      { question: 'Who?', document: 'nowhere.pdf' },
      { question: 'Who?', answr: 'me' },
      { question: 'Who now?', document: 'twice.txt' },
      { question: 'Where?', document: REPORT, page: 99 },
      { question: 'When?', document: MANUAL, page: 1 },
    ];
    const { code, output } = await evaluate(lines, ['--out', join(folder, 'run.json')], proxy.url);
    await proxy.close();
    expect(code).toBe(1);
    const path = join(folder, 'questions.jsonl');
    expect(output.split('\n')).toEqual([
      expect.stringMatching(`^${path}:2: not JSON: `),
      `${path}:4: document not found: "nowhere.pdf"`,
      `${path}:5: unknown member "answr"`,
      `${path}:6: 2 documents are named "twice.txt": use an id`,
      `${path}:7: "${REPORT}" has no page 99; its last page is 4`,
      `${path}:8: "${MANUAL}" has no pages`,
    ]);
    expect(new Set(asked)).toEqual(new Set(['/ping', '/documents']));
    await expect(run('run.json')).rejects.toThrow('ENOENT');
  });

  it('continues after a rejected question, and exits with 1', async () => {
    const refused = { question: 'Who?', answer: 'me', filters: { a: { $unknown: 1 } } };
    const { code, output } = await evaluate(
      [refused, QUESTIONS[4] ?? ''],
      ['--out', join(folder, 'run.json')],
    );
    expect(code).toBe(1);
    expect(output).toContain('1 of 2 questions failed');
    const { questions, figures } = await run('run.json');
    expect(questions[0]?.error).toMatch(/^422: /);
    expect(figures.answer_contained).toEqual({ mean: 1, questions: 1 });
  });

  it('writes partial results when interrupted, beside an earlier result', async () => {
    let asked = 0;
    const proxy = await startFlakyProxy(service.url, ({ url }) => {
      if (url === '/retrieve/chunks') asked += 1;
      return asked > 2 ? 'later' : 'pass';
    });
    const path = join(folder, 'questions.jsonl');
    await writeFile(path, QUESTIONS.map((line) => JSON.stringify(line)).join('\n'));
    await writeFile(join(folder, 'run.json'), 'an earlier run');
    const process = ServiceProcess.spawn(
      { LECTERN_URL: proxy.url, LECTERN_API_KEY: service.adminKey },
      'dist/cli/lectern.js',
      ['eval', path, '--answers', 'none', '--out', join(folder, 'run.json')],
    );
    await process.printed('2 of 6');
    const { code, output } = await process.kill('SIGINT');
    await proxy.close();
    const stopped = 'stopped after 2 of 6 questions: interrupted';
    expect([code, output]).toEqual([1, expect.stringContaining(`Incomplete: ${stopped}`)]);
    expect(await readFile(join(folder, 'run.json'), 'utf8')).toBe('an earlier run');
    const { questions, incomplete } = await run('run.incomplete.json');
    expect([questions.length, incomplete]).toEqual([2, stopped]);
    expect(await readFile(join(folder, 'run.incomplete.html'), 'utf8')).toContain(stopped);
  });

  it('prints its usage, and rejects a file that is not a run', async () => {
    const help = await command(['--help']);
    expect([help.code, help.output]).toEqual([0, expect.stringContaining('Usage: lectern eval')]);
    await writeFile(join(folder, 'no-run.json'), '{}');
    const wrong = await evaluate(QUESTIONS, ['--against', join(folder, 'no-run.json')]);
    expect([wrong.code, wrong.output]).toEqual([1, expect.stringContaining('is not the JSON of a run')]);
    const nowhere = await evaluate(QUESTIONS, ['--out', join(folder, 'no', 'run.json')]);
    expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringContaining('the folder does not exist')]);
    const over = await evaluate(QUESTIONS, ['--out', join(folder, 'questions.jsonl')]);
    expect([over.code, over.output]).toEqual([
      1,
      expect.stringContaining('--out names the file of questions'),
    ]);
    expect(await readFile(join(folder, 'questions.jsonl'), 'utf8')).toContain('Atlantis');
  });

  it('reports that a draft needs a model, and leaves no file', async () => {
    const path = join(folder, 'draft.jsonl');
    const { code, output } = await command(['--draft', path]);
    expect([code, output]).toEqual([1, expect.stringContaining('A draft needs a language model')]);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});

describe('lectern eval --draft', () => {
  let home: CompletionService;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-draft-'));
  });
  afterEach(async () => {
    await home.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function draft(model: string, count: number) {
    home = await CompletionService.start({
      LLM_MODEL: `hosted_vllm/${model}`,
      CHUNK_SIZE: '64',
      CHUNK_OVERLAP: '0',
    });
    const documents = new Documents(() => home.service.client);
    const text = (name: string): string =>
      Array.from(
        { length: 12 },
        (_, n) => `The ${name} was painted in ${1950 + n} by painter number ${n}. `,
      ).join('\n\n');
    await documents.ingestText(text('north pier'), { filename: 'north.txt' });
    await documents.ingestText(text('south pier'), { filename: 'south.txt' });
    home.provider.forget();
    const path = join(folder, 'draft.jsonl');
    const args = ['eval', '--draft', path, '--count', String(count)];
    const start = (url = home.service.url): ServiceProcess =>
      ServiceProcess.spawn(
        { LECTERN_URL: url, LECTERN_API_KEY: home.service.adminKey },
        'dist/cli/lectern.js',
        args,
      );
    return { path, start, write: (): Promise<Ended> => start().end() };
  }

  it('drafts questions about passages of every document', async () => {
    const written = { question: 'Who painted it?', answer: 'painter number', quote: 'not in the passage' };
    const { path, write } = await draft(`json:${JSON.stringify(written)}`, 4);
    const { code, output } = await write();
    expect([code, output]).toEqual([0, expect.stringContaining('(3 passages without a question)')]);
    const asked = home.provider.completions.map(({ question }) => /(?:north|south) pier/.exec(question)?.[0]);
    expect(asked.sort()).toEqual(['north pier', 'north pier', 'south pier', 'south pier']);
    const text = await readFile(path, 'utf8');
    expect(JSON.parse(text)).toEqual({
      question: 'Who painted it?',
      document: expect.stringMatching(/^(?:north|south)\.txt$/) as string,
      answer: 'painter number',
    });
    // An existing file is not overwritten.
    const again = await write();
    expect([again.code, again.output]).toEqual([1, expect.stringContaining('it exists already')]);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('keeps drafted questions when interrupted, and no empty file', async () => {
    const written = { question: 'Who painted it?', answer: 'painter number', quote: '' };
    const { path, start } = await draft(`json:${JSON.stringify(written)}`, 4);
    let passing = 1;
    const busy = new EventEmitter();
    const proxy = await startFlakyProxy(home.service.url, ({ url }) => {
      if (url !== '/query' || passing-- > 0) return 'pass';
      busy.emit('query');
      return 'later';
    });
    const first = start(proxy.url);
    await first.printed('1 of 4');
    const { code, output } = await first.kill('SIGINT');
    expect([code, output]).toEqual([1, expect.stringMatching(/interrupted\nQuestions kept in .*: 1$/)]);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ question: 'Who painted it?' });

    await rm(path);
    const asked = once(busy, 'query');
    const second = start(proxy.url);
    await asked;
    expect((await second.kill('SIGINT')).code).toBe(1);
    await proxy.close();
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });

  it('fails if the model writes no usable question', async () => {
    const { path, write } = await draft('json:{"question": " ", "answer": "", "quote": ""}', 2);
    const { code, output } = await write();
    expect([code, output]).toEqual([1, expect.stringContaining('The model wrote no question')]);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});
