import { chunkOf } from '../../../test/support/chunks.js';
import { missingSentence, missingWords } from './missing-words.js';

const missing = (question: string, ...contents: readonly string[]): string[] =>
  missingWords(
    question,
    contents.map((content) => chunkOf({ content })),
  );

describe('the words of a question that no passage contains', () => {
  it.each([
    ['Who is the CEO of Wistermark?', 'Ann Lee is the CEO of Halvornia.', ['Wistermark']],
    ['who is the ceo of wistermark?', 'Ann Lee is the CEO of Halvornia.', ['wistermark']],
    ["What is Wistermark's revenue?", 'The revenue of Halvornia was 3 million.', ['Wistermark']],
    ['Wer ist der Geschäftsführer von Wistermark?', 'Geschäftsführer von Halvornia ist Ann.', ['Wistermark']],
    ['Quel est le directeur de Wistermark ?', 'Le directeur de Halvornia est Ann.', ['Wistermark']],
    ["Quel est le revenu de l'Orvanne ?", "Le revenu de l'Halvornia est de 3 millions.", ['Orvanne']],
    ['¿Quién es el director de Wistermark?', 'El director de Halvornia es Ana.', ['Wistermark']],
    ['What does error E07 of the pump mean?', 'Error E11 of the pump means heat.', ['E07']],
    ['Does Wistermark own Orvanne or Halvornia?', 'Halvornia is sold.', ['Wistermark', 'Orvanne']],
  ])('in %p about %p', (question, content, expected) => {
    expect(missing(question, content)).toEqual(expected);
  });

  it.each([
    ['When do the shops open?', 'The stores open at nine.'],
    ['Who is the CEO of Halvornia?', 'Ann Lee is the Chief Executive Officer of Halvornia.'],
    ['Wann öffnen die Läden in Halvornia?', 'In Halvornia öffnen die Läden um neun.'],
    ['Combien coûte le billet ?', 'Le prix du billet est de 3 euros.'],
    ['¿Cuánto cuesta el billete?', 'El precio del billete es de 3 euros.'],
    ['Сколько стоит билет?', 'Цена билета: 3 евро.'],
    ['保修期多长？', '退货期为两年。'],
  ])('are none in %p about %p: common words have synonyms', (question, content) => {
    expect(missing(question, content)).toEqual([]);
  });

  it('are in none of several passages, their headings and their file names', () => {
    const question = 'Who is the CEO of Wistermark?';
    expect(missing(question, 'Ann is the CEO.', 'Wistermark is a company.')).toEqual([]);
    expect(
      missingWords(question, [chunkOf({ content: 'Ann is the CEO.', filename: 'wistermark.pdf' })]),
    ).toEqual([]);
  });

  it('are said in one sentence', () => {
    expect(missingSentence([])).toBe('');
    expect(missingSentence(['A'])).toBe('“A” is in none of these passages.');
    expect(missingSentence(['A', 'B', 'C'])).toBe('“A”, “B” and “C” are in none of these passages.');
  });
});
