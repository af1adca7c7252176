import { randomUUID } from 'node:crypto';
import { BestPassages } from '../answering/passages/best-passages.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { chunkOf } from '../../test/support/chunks.js';
import {
  AskedManual,
  MANUAL,
  eventsOf,
  newScope,
  requestOf,
  textOf,
} from '../../test/support/query-service.js';

describe('answering a question without a language model', () => {
  const asked = new AskedManual();
  const { ask, retrieval, wired } = asked;

  const none = { llm_config: { model: 'extractive' } };
  const QUOTED = 'The device weighs two kilograms.';
  const weight = { query: 'How many kilograms does the device weigh?', ...none };

  it('quotes the best passage, without a call', async () => {
    await expect(ask('x', weight)).resolves.toMatchObject({
      completion: QUOTED,
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      finish_reason: 'stop',
      sources: [{ chunk_number: 3 }, { chunk_number: 4 }],
      metadata: { model: 'extractive', provider: 'extractive', context_chunks: 2 },
    });
    expect(asked.provider.completions).toEqual([]);
  });

  it('cites it, whole and streamed', async () => {
    const response = await ask('x', { ...weight, inline_citations: true });
    expect(response.completion).toBe(`${QUOTED} [manual.pdf, page 4]`);
    expect(response.metadata.citations).toEqual([
      {
        start: 33,
        end: 53,
        text: '[manual.pdf, page 4]',
        document_id: MANUAL[0]?.documentId,
        chunk_number: 3,
        filename: 'manual.pdf',
        page_number: 4,
        quote: QUOTED,
      },
    ]);
    const request = requestOf({ ...weight, inline_citations: true });
    const events = await eventsOf(wired('x').service.stream(asked.scope, request, () => undefined));
    expect(textOf(events)).toBe(response.completion);
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      finish_reason: 'stop',
      metadata: { citations: response.metadata.citations },
    });
  });

  it('begins with the names that no quoted passage contains, and keeps the offsets of citations correct', async () => {
    const query = 'how many kilograms, say two, does the wistermark device weigh?';
    retrieval.chunks = [chunkOf({ content: QUOTED, filename: 'Wistermark.pdf', chunkNumber: 3 })];
    expect((await ask('x', { ...none, query })).metadata.missing_words).toBeUndefined();
    retrieval.chunks = MANUAL;
    const { completion, metadata } = await ask('x', { ...none, query, inline_citations: true });
    expect(completion).toBe(`“wistermark” is in none of these passages.\n\n${QUOTED} [manual.pdf, page 4]`);
    expect(metadata).toMatchObject({ answered: true, missing_words: ['wistermark'] });
    const [citation] = metadata.citations!;
    expect(String(completion).slice(citation!.start, citation!.end)).toBe('[manual.pdf, page 4]');
  });

  it('reports for a follow-up only missing words of the follow-up itself', async () => {
    const chat = { ...none, chat_id: 'missing' };
    await ask('x', { ...chat, query: 'how many kilograms, say two, does the wistermark device weigh?' });
    const { completion, metadata } = await ask('x', { ...chat, query: 'And its weight in kilograms?' });
    expect(completion).toContain(QUOTED);
    expect(metadata.missing_words).toBeUndefined();
  });

  describe('after a question about something else', () => {
    const company = (name: string, staff: string, chunkNumber: number) =>
      chunkOf({
        content: `We have ${staff} employees. The report of the auditors has no reservation.`,
        filename: `${name}.pdf`,
        chunkNumber,
      });
    const handbook = (content: string, chunkNumber: number) =>
      chunkOf({ content, filename: 'handbook.md', chunkNumber });
    const about = [
      company('tesla', 'nine', 1),
      company('netflix', 'seven', 2),
      handbook('The limit in the canteen is eight euros a day.', 3),
      handbook('The pension starts at the age of sixty.', 4),
      handbook('Ann is responsible for holiday.', 5),
      handbook('The last boat in winter leaves at noon.', 6),
      handbook('The last boat in summer leaves at nine.', 7),
    ];
    const answers = async (...questions: readonly string[]): Promise<unknown[]> => {
      retrieval.chunks = about;
      const chat_id = randomUUID();
      const given: unknown[] = [];
      for (const query of questions) given.push((await ask('x', { ...none, chat_id, query })).completion);
      return given;
    };

    it.each([
      [
        'How many employees does Tesla have?',
        'How many employees does Netflix have?',
        'We have seven employees.',
      ],
      [
        'How many employees does Tesla have?',
        'What about the pension?',
        'The pension starts at the age of sixty.',
      ],
      [
        'What is the limit in the canteen?',
        'What about the pension?',
        'The pension starts at the age of sixty.',
      ],
      [
        'How many employees does Siemens have?',
        'Who is responsible for holiday?',
        'Ann is responsible for holiday.',
      ],
    ])('%p: %p is answered on its own', async (before, question, expected) => {
      const [alone] = await answers(question);
      const [, after] = await answers(before, question);
      expect([alone, after]).toEqual([expected, expected]);
    });

    it('a question without results of its own is joined with the words of the previous question', async () => {
      const [winter, summer, when] = await answers(
        'When does the last boat leave in winter?',
        'And in summer?',
        'And when exactly?',
      );
      expect(winter).toContain('noon');
      expect(summer).toContain('nine');
      expect(when).toContain('boat');
    });
  });

  it('states for a follow-up that the same passage fits best', async () => {
    // The quotation in the stored answer is withheld unless its document can be read.
    await asked.database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type)
       values ($1, $2, 'completed', 'text/plain')`,
      [asked.scope.appId, MANUAL[0]?.documentId],
    );
    const chat = { ...none, chat_id: 'follow-up' };
    await ask('x', { ...chat, query: 'How many kilograms does the device weigh?' });
    const { completion } = await ask('x', { ...chat, query: 'And its weight in kilograms?' });
    expect(completion).toBe(`The same passage fits best.\n\n${QUOTED}`);
  });

  it('quotes each of the two searches of a follow-up once, and counts the documents in processing once', async () => {
    const chat = { ...none, chat_id: 'once' };
    await ask('x', { ...chat, query: 'How many kilograms does the device weigh?' });
    const quote = jest.spyOn(BestPassages.prototype, 'quote');
    const count = jest.spyOn(DocumentRepository.prototype, 'countProcessing');
    await ask('x', { ...chat, query: 'And its weight in kilograms?' });
    expect(quote.mock.calls.map(([question]) => question)).toEqual([
      'And its weight in kilograms?',
      'And its weight in kilograms? device weigh',
    ]);
    expect(count).toHaveBeenCalledTimes(1);
    await ask('x', { ...none, query: 'Who painted the ceiling?' });
    expect(quote).toHaveBeenCalledTimes(3);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('stores with a stopped answer which parts of it repeat a document', async () => {
    const request = requestOf({ ...weight, chat_id: 'left' });
    for await (const event of wired('x').service.stream(asked.scope, request, () => undefined)) {
      if (event.type === 'assistant') break;
    }
    const turns: unknown = await asked.database.dataSource.query(
      `select t.stopped, t.evidence from turns t where t.app_id = $1 and t.role = 'assistant'`,
      [asked.scope.appId],
    );
    const part = { start: 0, end: QUOTED.length, document_id: MANUAL[0]?.documentId };
    expect(turns).toMatchObject([{ stopped: true, evidence: { quotations: [part] } }]);
  });

  it('reports that no answer was found, without a citation', async () => {
    const question = { ...none, query: 'Who painted the ceiling?', inline_citations: true };
    const refused = {
      completion: 'No answer found in the documents.',
      finish_reason: 'stop',
      metadata: { citations: [], answered: false },
    };
    await expect(ask('x', question)).resolves.toMatchObject(refused);
    retrieval.chunks = [];
    await expect(ask('x', question)).resolves.toMatchObject({ ...refused, sources: [] });
  });

  it('reports how many selected documents are still processing', async () => {
    const add = (appId: string, folder: string, status: string) =>
      asked.database.dataSource.query(
        `insert into documents (app_id, external_id, status, content_type, folder_path)
         values ($1, $2, $3, 'text/plain', $4)`,
        [appId, randomUUID(), status, folder],
      );
    await add(asked.scope.appId, '/a', 'processing');
    await add(asked.scope.appId, '/b', 'processing');
    await add(asked.scope.appId, '/b', 'completed');
    await add(asked.scope.appId, '/b', 'failed');
    await add((await newScope(asked.database.dataSource)).appId, '/a', 'processing');
    const question = { ...none, query: 'Who painted the ceiling?' };
    const { completion, metadata } = await ask('x', question);
    expect(completion).toBe('No answer found in the documents. 2 documents are still being processed.');
    expect(metadata.answered).toBe(false);
    const inFolder = requestOf({ ...question, folder_name: '/a' });
    const events = await eventsOf(wired('x').service.stream(asked.scope, inFolder, () => undefined));
    expect(textOf(events)).toBe('No answer found in the documents. 1 document is still being processed.');
    expect(events.at(-1)).toMatchObject({ type: 'done', metadata: { answered: false } });
  });

  it('omits a sentence that exceeds max_tokens instead of truncating it', async () => {
    await expect(ask('x', { ...weight, max_tokens: 3 })).resolves.toMatchObject({
      completion: '',
      finish_reason: 'length',
    });
  });

  it.each([
    [{ schema: { type: 'object' } }, ['schema']],
    [{ prompt_overrides: { entity_extraction: {} } }, ['prompt_overrides', 'entity_extraction']],
    [{ prompt_overrides: { entity_resolution: {} } }, ['prompt_overrides', 'entity_resolution']],
  ])('rejects %j, which needs a model, before the search', async (body, place) => {
    await expect(ask('x', { ...weight, ...body })).rejects.toMatchObject({
      status: 422,
      items: [{ loc: ['body', ...place], msg: expect.stringContaining('LLM_MODEL') as string }],
    });
    expect(retrieval.requests).toEqual([]);
  });

  it('answers without the configured entities, and adds a note', async () => {
    const configured = wired('x', { QUERY_ENTITIES: 'true', LLM_MODEL: 'extractive', LLM_API_BASE: '' });
    const { completion, metadata } = await configured.service.complete(asked.scope, requestOf(weight));
    expect(completion).toBe(QUOTED);
    expect(metadata).toMatchObject({ entities: [], notes: [expect.stringContaining('LLM_MODEL')] });
  });
});
