import { namedSpans } from './spans.js';

describe('names in a question', () => {
  it.each([
    ['How heavy is the Nimbus Router X200?', ['Nimbus Router X200']],
    ['What did Maria van der Berg of Acme Corp. say?', ['Maria van der Berg of Acme Corp']],
    ['Warranty for the lamp?', []],
    ['NASA or ESA?', ['NASA', 'ESA']],
    ['The Lyra is heavy. Is Vega heavier?', ['Lyra', 'Vega']],
    ['What does "power cycle" mean for the X-200?', ['power cycle', 'X-200']],
    ["What is Acme's address?", ['Acme']],
    ['Is it WPA3 or wpa2?', ['WPA3', 'wpa2']],
    ['how long is the warranty', []],
    ['', []],
  ])('of %p', (question, expected) => {
    expect(namedSpans(question)).toEqual(expected);
  });

  it.each([
    ['hyphens', '-'.repeat(1_000_000), 0],
    ['letters and hyphens', 'a-'.repeat(500_000), 0],
    ['a name of many words', 'Ab Cd '.repeat(150_000), 1],
    ['names', Array.from({ length: 50_000 }, (_, index) => `x Ab${index}`).join(', '), 50_000],
  ])('reads %s once', (_name, question, spans) => {
    expect(namedSpans(question)).toHaveLength(spans);
  });
});
