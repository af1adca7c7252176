import { questionOf } from './question-of.js';

describe('the question that a sentence answers', () => {
  it.each([
    ['The harbour lamp is lit at dusk.', 'When is the harbour lamp lit?'],
    ['Invoices must be paid by March of the same year.', 'When must Invoices be paid?'],
    ['The old bridge was opened in 1932 by the mayor.', 'When was the old bridge opened?'],
    ['Photosynthesis is the process by which plants make sugar.', 'What is Photosynthesis?'],
    ['The deposit is $200, and is returned in June.', 'How much is the deposit?'],
    ['EBITDA means earnings before interest, taxes and more.', 'What does EBITDA mean?'],
    ['Der Fernleaf GC-200 ist ein Gewächshaus mit Heizung.', 'Was ist der Fernleaf GC-200?'],
    ['La marée est un mouvement de la mer.', 'Qu’est-ce que la marée ?'],
    ['La marea es el movimiento del mar.', '¿Qué es la marea?'],
    ['A maré é o movimento do mar inteiro.', 'O que é a maré?'],
  ])('of %p is %p', (sentence, question) => {
    expect(questionOf(sentence)).toBe(question);
  });

  it.each([
    'It is a lamp that is lit at dusk.',
    'This report is the first of its kind.',
    'Each of them is a member of the club.',
    'CURRENT REPORT PURSUANT TO SECTION is the title.',
    'The hull is green and has two masts.',
    'The hull is 30 metres long.',
    'the lamp is a light on the pier.',
    'The lamp is a light on the pier',
    'General',
    `The lamp is a ${'very '.repeat(100)}old one.`,
  ])('is none for %p', (sentence) => {
    expect(questionOf(sentence)).toBeNull();
  });
});
