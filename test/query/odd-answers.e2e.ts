import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import type { SharedService } from '../support/shared-service.js';

const FOLDER = '/quay';
const BOTH = ['berth.txt', 'crane.txt'];

/** Spellings of markers. Each names the two sources, whatever their order. */
const MARKERS = [
  'Both [[1]][[2]].',
  'Both [[ 1 ]] and [[2 ]].',
  'Both [[1;2]].',
  'Both [[1 & 2]].',
  'Ambos [[1 y 2]].',
  'Оба [[1 и 2]].',
  'Les deux [[1–2]].',
  'كلاهما [[١]] [[٢]].',
  'هر دو [[۱، ۲]].',
  '両方 【1】【2】。',
  'Both 【1:2†berth.txt】 and 【2:0†source】.',
  'Beide [[Quelle 1, Quelle 2]].',
  'Both [[1, p. 3]] and [[2, page 12]].',
  'Beide [[1, S. 3]] [[2, S. 4]].',
  'Both [Source 1] and [Source 2].',
  'Both [Document 1, Document 2].',
  '两者 [来源1][来源2]。',
  'Both are named.[1][2]',
  'Both are named [1,2].',
] as const;

/** Brackets that are no markers. The answer has no other marker, and names no source. */
const NO_MARKERS = [
  'Use `a[1]` and `b[2]`.',
  '```yaml\nports: [1, 2]\n```\n',
  'See [the rules](https://quay.example/a[1]) there.',
  'The list is [1, 2].',
  'The formula is $a_{[1]} + b[2]$.',
  '{"berths": [1, 2], "crane": [2]}',
  'The interval [1, 2] is closed.',
  'const x = rows[1];',
  '| key | value |\n| --- | --- |\n| list | `[1]` |\n',
  'A footnote[^1] stays.\n\n[^1]: As it is.',
  'Tasks:\n- [ ] one\n- [x] two',
  'As [[Berth list]] says.',
  'if [[ -f a ]]; then',
] as const;

/** What a model says for `{ f: string, n?: integer }`, and the value of `f`. */
const VALUES: readonly (readonly [name: string, said: string, f: string])[] = [
  ['a pattern', String.raw`{"f": "^\d+\s\w*$"}`, String.raw`^\d+\s\w*$`],
  ['an apostrophe', `{"f": "the crane's hook"}`, "the crane's hook"],
  ['an apostrophe in single quotes', `{'f': "the crane's hook"}`, "the crane's hook"],
  ['an address with slashes', `{"f": "https://quay.example/a//b"}`, 'https://quay.example/a//b'],
  ['a comment mark in a text', `{"f": "a /* no comment */ b # c",}`, 'a /* no comment */ b # c'],
  ['a text with braces', `Answer: {"f": "{a} and [b]"} Done.`, '{a} and [b]'],
  ['a fence in a text', '```json\n{"f": "use ```sh``` here"}\n```', 'use ```sh``` here'],
  ['a fence that is cut', '```json\n{"f": "crane"}', 'crane'],
  ['a comma at the end', '{"f": "crane",}', 'crane'],
  ['a line break in a text', '{"f": "first\nsecond"}', 'first\nsecond'],
  ['an escaped letter', String.raw`{"f": "M\u00fcller"}`, 'Müller'],
  ['an escaped backslash', String.raw`{"f": "a\\d"}`, String.raw`a\d`],
  ['an example before the answer', 'For example {"f": "x"}. The answer: {"f": "crane"}', 'crane'],
  ['a correction', '{"f": "berth"}\nNo, I meant:\n{"f": "crane"}\nThat is all.', 'crane'],
  ['the words of a thought before', '<think>{"f": "x"}</think>{"f": "crane"}', 'crane'],
  ['a text in other quotes within', '{"f": "the “crane” and „hook“"}', 'the “crane” and „hook“'],
];

/** Answers that hold no text. */
const EMPTY = ['', ' ', '\n\n', '\u00a0', '\u200b', '<think>Nothing to say.</think>'] as const;

interface Completion {
  readonly completion: unknown;
  readonly metadata: { readonly citations?: readonly { readonly filename: string }[] };
}

describe('what a model says in an odd way', () => {
  let home: CompletionService<SharedService>;
  beforeAll(async () => {
    home = await CompletionService.shared();
    const documents = new Documents(() => home.service.client);
    await documents.ingestText('The berth costs 41 crowns.', { filename: 'berth.txt', folder_name: FOLDER });
    await documents.ingestText('The crane lifts 12 tons.', { filename: 'crane.txt', folder_name: FOLDER });
  });
  afterAll(() => home.stop());

  const model = (said: string): string => `encoded:${encodeURIComponent(said)}|pieces:3`;
  async function query(said: string, more: object = {}): Promise<Completion> {
    const { status, text } = await home.service.client.post('/query', {
      query: 'What do the berth and the crane do?',
      folder_name: FOLDER,
      inline_citations: true,
      llm_config: { model: model(said) },
      ...more,
    });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as Completion;
  }
  const namesIn = ({ metadata }: Completion): string[] =>
    [...new Set((metadata.citations ?? []).map(({ filename }) => filename))].sort();

  it.each(MARKERS)('has the citations of %j', async (said) => {
    const answer = await query(said);
    expect([said, namesIn(answer)]).toEqual([said, BOTH]);
    expect(String(answer.completion)).not.toMatch(
      /\[\[|\]\]|【|†|Quelle|来源|Source \d|Document \d|\[[\d\s,]+\]|p\. 3|S\. 3/,
    );
  });

  it.each(NO_MARKERS)('has no citation in %j', async (said) => {
    const answer = await query(said);
    expect([answer.completion, namesIn(answer)]).toEqual([said, []]);
  });

  const schema = { type: 'object', properties: { f: { type: 'string' } }, required: ['f'] };
  it.each(VALUES)('keeps the value: %s', async (_, said, f) => {
    home.provider.forget();
    const { completion } = await query(said, { schema });
    expect(completion).toEqual({ f });
    expect(home.provider.completions).toHaveLength(1);
  });

  it.each(EMPTY)('sends no empty turn after the answer %j', async (said) => {
    const chat = { chat_id: `odd-${EMPTY.indexOf(said)}` };
    await query(said, chat);
    home.provider.forget();
    await query('By night.', { ...chat, query: 'And by night?' });
    const sent = home.provider.completions.flatMap(({ body }) => body.messages);
    const empty = sent.filter(
      ({ role, content }) =>
        role === 'assistant' && JSON.stringify(content ?? '').replace(/\\n|[\s\u200b]/g, '') === '""',
    );
    expect(sent.length).toBeGreaterThan(0);
    expect(empty).toEqual([]);
  });

  it('keeps the question and the beginning of an answer that fills the window', async () => {
    const chat = { chat_id: 'odd-long' };
    const answer = `The crane is yellow. ${'It turns and lifts, and it stops at noon. '.repeat(1_500)}`;
    await query(answer, { ...chat, query: 'What colour has the crane on the northern quay?' });
    home.provider.forget();
    await query('Yes.', { ...chat, query: 'Is that so?' });
    const sent = JSON.stringify(home.provider.completions.map(({ body }) => body.messages));
    expect(sent).toContain('What colour has the crane on the northern quay?');
    expect(sent).toContain('The crane is yellow.');
  });
});
