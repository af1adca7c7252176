import { readFileSync } from 'node:fs';
import { TABLE } from '../tenancy/access-table/table.js';

/** Returns the rows of the table of who sees what: the first word of each right, and the status if the page names it. */
function rowsOf(page: string): [who: string, rights: string[]][] {
  const [, table = ''] = readFileSync(page, 'utf8').split('| Who | reads | changes | shares and deletes |\n');
  const lines = table.split('\n').slice(1);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return rows.map((row) => {
    const [who = '', ...rights] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return [who.replaceAll('`', ''), rights];
  });
}

describe.each(['docs/guide/colleagues.md', 'docs/operate/security.md'])('the table of %s', (page) => {
  it('has the lines that are proved', () => {
    const proved = Object.entries(TABLE).map(([who, { reads, changes, manages }]) => [
      who,
      [reads, changes, manages].map((status) => (status === 200 ? 'yes' : 'no')),
    ]);
    const shown = rowsOf(page);
    expect(shown.map(([who, rights]) => [who, rights.map((right) => right.split(' ')[0])])).toEqual(proved);
    for (const [who, rights] of shown) {
      const { reads, changes, manages } = TABLE[who as keyof typeof TABLE];
      for (const [at, status] of [reads, changes, manages].entries()) {
        const named = /\((\d+)\)/.exec(rights[at] ?? '')?.[1] ?? String(status);
        expect([who, at, named]).toEqual([who, at, String(status)]);
      }
    }
  });
});
