import type { FormerStep } from './step.js';

/** Separator of the cells of a table header. */
const CELLS = ' | ';

/** Writes the contexts of chunks, which were lines of Markdown at first, as JSON. Was read in both forms. */
export const CONTEXTS: FormerStep = {
  name: 'Contexts',
  about: 'writes the contexts of chunks in one form',
  async up(queryRunner) {
    const contexts = (await queryRunner.query(
      `select distinct context from chunks where context <> '' and context not like '{"title":%'`,
    )) as { context: string }[];
    for (const { context } of contexts) {
      await queryRunner.query('update chunks set context = $2 where context = $1', [
        context,
        JSON.stringify(readLines(context.split('\n'))),
      ]);
    }
  },
};

/** Reads title, headings (`## Text`) and table lines (`| cell | cell`, the last one is the header). */
function readLines(lines: readonly string[]): object {
  const rows = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2));
  const header = rows.at(-1)?.split(CELLS) ?? [];
  return {
    title: lines.find((line) => !/^(?:#+ |\|)/.test(line)) ?? null,
    headings: lines.flatMap((line) => {
      const [, hashes, text] = /^(#+) (.*)$/.exec(line) ?? [];
      return hashes === undefined || text === undefined ? [] : [{ level: hashes.length, text }];
    }),
    table: tableOf(rows, header),
  };
}

function tableOf(rows: readonly string[], header: readonly string[]): object | null {
  if (rows.length === 0) return null;
  return header.length > 1 ? { caption: rows.slice(0, -1), header } : { caption: rows, header: [] };
}
