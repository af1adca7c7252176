import { tableFiles } from '../../support/generate/table-files.mjs';
import { Documents } from '../../support/documents.js';
import { Service } from '../../support/service.js';

/**
 * Rows of the tables; each of five formats has a table of each size. The full test: `npm run bench --
 * tables`.
 */
const SIZES = [5, 40];

describe('a question for a cell', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  it('finds its row in the first chunk for nine of ten tables, and returns the value', async () => {
    const documents = new Documents(() => service.client);
    const files = await tableFiles(SIZES);
    for (const { filename, bytes } of files) {
      const { system_metadata } = await documents.ingestFile(filename, bytes);
      expect([filename, system_metadata.status]).toEqual([filename, 'completed']);
    }
    const missed: string[] = [];
    const unanswered: string[] = [];
    for (const { question, row, value } of files) {
      const [first] = await documents.retrieve({ query: question, k: 1 });
      const lines = first?.content.split('\n') ?? [];
      if (!lines.some((line) => line.includes(row) && line.includes(value))) missed.push(question);
      const answer = await service.client.post('/query', { query: question });
      const { completion } = answer.json() as { completion: string };
      if (!completion.includes(value)) unanswered.push(`${question} ${completion}`);
    }
    expect(missed.length > files.length / 10 ? missed : []).toEqual([]);
    expect(unanswered.length > files.length / 10 ? unanswered : []).toEqual([]);
  });
});
