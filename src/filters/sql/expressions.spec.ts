import sql from 'sql-template-tag';
import { choose, either, FALSE, TRUE } from './expressions.js';

describe('alternatives', () => {
  it('are joined by OR, and false without any', () => {
    expect(either([]).text).toBe('false');
    expect(either([TRUE]).text).toBe('true');
    expect(either([TRUE, sql`x = ${1}`]).text).toBe('(true or x = $1)');
  });
});

describe('a choice', () => {
  it('leaves out the branches that are the same as the other one', () => {
    expect(choose(sql`kind`, { a: TRUE, b: FALSE }, FALSE).text).toBe(
      "case kind when 'a' then true else false end",
    );
  });

  it('is the other one when nothing is left', () => {
    expect(choose(sql`kind`, { a: FALSE }, FALSE).text).toBe('false');
    expect(choose(sql`kind`, {}, TRUE).text).toBe('true');
  });
});
