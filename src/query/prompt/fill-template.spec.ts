import { countPlaceholder, fillTemplate } from './fill-template.js';

describe('filling a template', () => {
  it('puts values in place of every placeholder', () => {
    expect(fillTemplate('{a} and {b} and {a}', { a: '1', b: '2' })).toBe('1 and 2 and 1');
  });

  it('replaces literally: dollar signs, braces and JSON mean nothing', () => {
    const value = '$& $1 $$ {"x": {"y": 1}}';
    expect(fillTemplate('<{a}>', { a: value })).toBe(`<${value}>`);
  });

  it('does not replace a placeholder that a value brings along', () => {
    expect(fillTemplate('{a} {b}', { a: '{b}', b: '{a}' })).toBe('{b} {a}');
  });

  it('leaves other braces of the template alone', () => {
    expect(fillTemplate('{"k": {a}} {c} {constructor} {{a}}', { a: '1' })).toBe(
      '{"k": 1} {c} {constructor} {1}',
    );
  });
});

it('counts placeholders as they are filled', () => {
  const template = '{a} {{a}} {b} { a } {a';
  expect(countPlaceholder(template, 'a')).toBe(2);
  expect(fillTemplate(template, { a: '' }).length).toBe(template.length - 2 * '{a}'.length);
});
