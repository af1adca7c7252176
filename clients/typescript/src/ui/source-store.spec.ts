import { markedText } from './source-store.js';

describe('the text of a source', () => {
  it.each([
    ['The lamp is lit at dusk.', 'lit at dusk', ['The lamp is ', '[lit at dusk]', '.']],
    ['The lamp is\nlit  at dusk.', 'is lit at', ['The lamp ', '[is\nlit  at]', ' dusk.']],
    ['It cost 4.5 (net).', '4.5 (net).', ['It cost ', '[4.5 (net).]']],
    ['It cost 4x5.', '4.5', ['It cost 4x5.']],
    ['No quote.', null, ['No quote.']],
    ['Empty.', ' ', ['Empty.']],
  ])('%j has %j marked', (text, quote, parts) => {
    expect(markedText(text, quote).map((part) => (part.isMarked ? `[${part.text}]` : part.text))).toEqual(
      parts,
    );
  });
});
