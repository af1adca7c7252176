import { CompletionService } from '../support/completion-service.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { readEvents, streamedText } from '../support/event-stream.js';
import { minimalPdf } from '../support/minimal-pdf.js';

const PAGES = [
  ['The tower stands on the north rock.', 'It has eleven windows.'],
  [],
  ['The keeper is paid nine guineas.', 'A boat comes on Monday.'],
  ['The horn is sounded by the mate.', 'He rests at noon.'],
];
const NAME = 'light house.pdf';

/** A PDF with a line for each sentence; a page without sentences is blank. */
const pdfOf = (pages: readonly (readonly string[])[]): Uint8Array<ArrayBuffer> =>
  minimalPdf(
    pages.map((lines) => ({
      size: [400, 300] as const,
      content:
        lines.length === 0
          ? ''
          : `BT /F1 12 Tf 16 TL 20 260 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`,
    })),
  );

interface Completion {
  readonly completion: string;
  readonly metadata: {
    readonly citations: readonly {
      readonly start: number;
      readonly end: number;
      readonly text: string;
      readonly page_number: number | null;
      readonly quote: string;
    }[];
  };
}

describe('page numbers of citations', () => {
  let home: CompletionService;
  let documents: Documents;
  beforeAll(async () => {
    home = await CompletionService.start({ CHUNK_SIZE: '64', CHUNK_OVERLAP: '24' });
    documents = new Documents(() => home.service.client);
    await documents.ingestFile(NAME, pdfOf(PAGES), { folder_name: '/light', use_colpali: 'true' });
  });
  afterAll(() => home.stop());

  const ask = async (answer: string, body: object = {}): Promise<Response> =>
    home.service.client.fetch('POST', '/query', {
      body: {
        query: 'Tell of the light house.',
        folder_name: '/light',
        inline_citations: true,
        llm_config: { model: `text:${answer}` },
        ...body,
      },
    });
  const complete = async (answer: string, body: object = {}): Promise<Completion> => {
    const response = await ask(answer, body);
    expect(response.status).toBe(200);
    return (await response.json()) as Completion;
  };
  const placesOf = async (id: string): Promise<(readonly [number, unknown, unknown])[]> =>
    (await documents.chunks(id)).map(({ chunk_number: number, metadata }) => [
      number,
      metadata['first_page_number'],
      metadata['page_number'],
    ]);
  const idOf = async (name: string): Promise<string> => {
    const [chunk] = await documents.retrieve({ query: 'light', filters: { filename: name } });
    return chunk!.document_id;
  };

  it('are known for a passage that begins on an earlier page', async () => {
    expect(await placesOf(await idOf(NAME))).toEqual([
      [0, undefined, 1],
      [1, 1, 3],
      [2, 3, 4],
    ]);
  });

  it('are the pages of the quotes, whole and streamed', async () => {
    const numbers = '[[1]] [[2]] [[3]]';
    const answer = `It has eleven windows ${numbers}. The keeper is paid nine guineas ${numbers}. The horn is sounded by the mate ${numbers}.`;
    const { completion, metadata } = await complete(answer, { k: 3 });
    const pageOf = (quote: string): number => 1 + PAGES.findIndex((lines) => lines.includes(quote));
    expect(metadata.citations).toHaveLength(9);
    for (const { start, end, text, quote, page_number: page } of metadata.citations) {
      expect(completion.slice(start, end)).toBe(text);
      expect([quote, page]).toEqual([quote, page === null ? null : pageOf(quote)]);
      expect(text).toBe(page === null ? `[${NAME}]` : `[${NAME}, page ${page}]`);
    }
    const cited = metadata.citations.map(({ quote, page_number: page }) => `${page} ${quote}`);
    // Each sentence is in the passage of its page and in the overlap of the next passage.
    expect(cited.filter((one) => one === '1 It has eleven windows.')).toHaveLength(2);
    const events = await readEvents(await ask(answer, { k: 3, stream_response: true }));
    expect(streamedText(events)).toBe(completion);
    expect(events.at(-1)?.['metadata']).toMatchObject({ citations: metadata.citations });
  });

  it('are all in the prompt for a passage of several pages', async () => {
    home.provider.forget();
    await complete('Nothing.', { k: 3 });
    const prompt = JSON.stringify(home.provider.completions.at(-1)?.body);
    for (const label of ['page 1', 'pages 1-3', 'pages 3-4']) expect(prompt).toContain(`${NAME}, ${label}`);
  });

  it('continue after the existing pages when a file is added', async () => {
    const record = await documents.ingestFile('added.pdf', pdfOf(PAGES), { folder_name: '/added' });
    const form = new FormData();
    form.append('file', new Blob([pdfOf(PAGES.slice(2))]), 'more.pdf');
    const updated = await home.service.client.post(`/documents/${record.external_id}/update_file`, form);
    expect(updated.status).toBeLessThan(300);
    await documents.settled((updated.json() as DocumentRecord).external_id);
    expect(await placesOf(record.external_id)).toEqual([
      [0, undefined, 1],
      [1, 1, 3],
      [2, 3, 4],
      [3, undefined, 5],
      [4, 5, 6],
    ]);
    const text = { content: 'The lamp was lit at dusk.' };
    const added = await home.service.client.post(`/documents/${record.external_id}/update_text`, text);
    expect(added.status).toBe(200);
    expect((await placesOf(record.external_id)).at(-1)).toEqual([5, undefined, undefined]);
  });
});
