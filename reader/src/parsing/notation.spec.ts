import { lowered, raised } from './notation.js';

describe('superscript characters', () => {
  it.each([
    ['6', '^6'],
    [' 6 ', ' ^6 '],
    ['−3', '^-3'],
    ['–3', '^-3'],
    ['2+', '^2+'],
    ['2−', '^2-'],
    ['n', '^n'],
    ['n+1', '^(n+1)'],
    ['1, 2', '^(1, 2)'],
    ['1,2', '^1,2'],
    ['$&', '^($&)'],
    ['st', 'st'],
    ['ème', 'ème'],
    ['®', '®'],
    ['°', '°'],
    ['[2]', '[2]'],
    ['', ''],
    [' ', ' '],
  ])('writes %j as %j', (text, expected) => {
    expect(raised(text)).toBe(expected);
  });
});

describe('subscript characters', () => {
  it.each([
    ['2', '_2'],
    ['i,j', '_i,j'],
    ['i + j', '_(i + j)'],
    ['max', 'max'],
  ])('writes %j as %j', (text, expected) => {
    expect(lowered(text)).toBe(expected);
  });
});
