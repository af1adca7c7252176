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
});
