import { tableFiles } from '../../test/support/generate/table-files.mjs';
import { ingestBytes } from '../ingest.mjs';
import { openHome } from '../service.mjs';

/** Numbers of rows. Each of five formats has one table of each size. */
const SIZES = [5, 8, 12, 20, 35, 60, 120, 300, 1_000, 5_000];

/**
 * Searches fifty tables together, with one question about a cell of each table. Measures how often the first chunk
 * contains the row of the cell.
 */
export const tables = {
  name: 'tables',
  about:
    'how often the first chunk contains the row of the cell that a question asks for, over fifty tables of five formats',

  async run({ databaseUrl, say }) {
    const files = await tableFiles(SIZES);
    const home = await openHome(databaseUrl);
    try {
      const service = await home.start();
      say(`ingesting ${files.length} tables`);
      const { chunks } = await ingestBytes(
        service,
        files.map(({ filename, bytes }) => [filename, bytes]),
      );
      const formats = new Map();
      for (const { filename, question, row, value } of files) {
        const [first] = await service.call('/retrieve/chunks', { query: question, k: 1 });
        const { completion } = await service.call('/query', { query: question });
        const format = filename.split('.').at(-1);
        const counts = formats.get(format) ?? { tables: 0, found: 0, said: 0 };
        const isFound = first.content.split('\n').some((line) => line.includes(row) && line.includes(value));
        if (!isFound) say(`not first: ${question} (${filename})`);
        formats.set(format, {
          tables: counts.tables + 1,
          found: counts.found + (isFound ? 1 : 0),
          said: counts.said + (completion.includes(value) ? 1 : 0),
        });
      }
      const rows = [...formats].map(([format, counts]) => [format, ...Object.values(counts)]);
      const total = rows.reduce((sums, row) => sums.map((sum, at) => sum + row[at + 1]), [0, 0, 0]);
      return {
        sizes: { rows: SIZES.join(', '), chunks },
        columns: ['format', 'tables', 'row in the first chunk', 'value in the answer'],
        rows: [...rows, ['all', ...total]],
      };
    } finally {
      await home.close();
    }
  },
};
