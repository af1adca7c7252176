import { compared, isIllegible } from './legible.js';

describe('a text layer beside the picture of its page', () => {
  it.each([
    ['right', 'Accuracy 2019 2020 2021', ['Accuracy', '2019', '2028'], false],
    ['right', 'MMLU-Pro MATH 500', ['mmlu', 'Pro', 'xyz', '777'], true],
    ['wrong', '7KH JDUEOHG OD\\HU', ['The', 'garbled', 'layer'], false],
    ['unknown', '7KH JDUEOHG OD\\HU', ['The', 'garbled', 'layer'], true],
    ['unknown', 'α β γ δ', ['zzz'], false],
    ['unknown', '12 14 16', [], false],
  ] as const)('is %s: %j', (expected, text, words, isDoubtful) => {
    expect(compared(text, words, isDoubtful)).toBe(expected);
  });

  it.each([
    ['\ue001\ue002\ue003 a', true],
    ['\u0003\u0011 \u0017\u0014', true],
    ['Größe 灯台 مضاء', false],
    ['', false],
  ])('cannot be read: %j', (text, expected) => {
    expect(isIllegible(text)).toBe(expected);
  });
});
