import { accessUses, kindOf } from './access-predicates.mjs';

describe('the proof of access in statements', () => {
  it.each([
    ['select d.x from documents d where d.app_id = $1 and d.readers && $2::text[]', [true]],
    ['select d.x from documents d where d.app_id = $1', [false]],
    ['select d.x from documents d where d.readers && $1::text[] or d.app_id = $2', [false]],
    ['select d.x from documents d where not (d.readers && $1::text[])', [false]],
    ['select c.x from chunks c join documents d on d.id = c.id and d.readers && $1::text[]', [true]],
    ['select c.x from chunks c left join documents d on d.readers && $1::text[]', [false]],
    ['select c.x from chunks c where exists (select from documents d where d.readers && $1::text[])', [true]],
    ['select f.x from files f join documents d on true where d.readers && $1::text[]', [false, true]],
    ['with s as (select d.x from documents d) select s.x from s', [false]],
    [
      'select f.x from files f where f.readers && $1::text[] union all select d.x from documents d',
      [true, false],
    ],
    ['select c.x from conversations c where c.app_id = $1 and c.owner = $2', [true]],
    ['select c.x from conversations c where c.owner = c.other', [false]],
    ['select c.x from conversations c where c.owner is null', [false]],
    ['select c.x from chunks c', []],
  ])('%s', async (text, bound) => {
    expect((await accessUses(text)).map((use) => use.bound)).toEqual(bound);
  });

  it('takes statements for different callers and filters as one kind', async () => {
    const one =
      'select d.x from documents d where d.app_id = $1 and d.readers && $2::text[] and d.status = $3';
    const other = 'select d.x from documents d where d.app_id = $1 and d.metadata @> $2';
    const another = 'select d.x from documents d join files f on f.app_id = $1 where d.app_id = $1';
    const kinds = await Promise.all(
      [one, other, another].map(async (text) => kindOf(text, await accessUses(text))),
    );
    expect(kinds[0]).toBe(kinds[1]);
    expect(kinds[0]).not.toBe(kinds[2]);
  });
});
