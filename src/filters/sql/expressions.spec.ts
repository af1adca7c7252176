import sql from 'sql-template-tag';
import { choose, either, FALSE, TRUE } from './expressions.js';

describe('either', () => {
  it('joins alternatives with OR, and is false for an empty list', () => {
    expect(either([]).text).toBe('false');
    expect(either([TRUE]).text).toBe('true');
    expect(either([TRUE, sql`x = ${1}`]).text).toBe('(true or x = $1)');
  });
});

describe('choose', () => {
  it('omits branches identical to the default branch', () => {
    expect(choose(sql`kind`, { a: TRUE, b: FALSE }, FALSE).text).toBe(
      "case kind when 'a' then true else false end",
    );
  });

  it('is the default branch if all other branches are omitted', () => {
    expect(choose(sql`kind`, { a: FALSE }, FALSE).text).toBe('false');
    expect(choose(sql`kind`, {}, TRUE).text).toBe('true');
  });
});
