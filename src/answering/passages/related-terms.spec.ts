import { asksForNumber, hasNumber } from './best-passages.js';
import { isCompoundOf, isPartOf, withRelated } from './asked-words.js';

describe('related terms', () => {
  it.each<[string, string[], boolean]>([
    ['urlaubstage', ['urlaub', 'tage'], true],
    ['urlaubstag', ['urlaub', 'tage'], true],
    ['vakantiedagen', ['vakantie', 'dagen'], true],
    ['hauptstrasse', ['haupt', 'strasse'], true],
    ['semesterdagar', ['semester', 'dagar'], true],
    ['urlaubstage', ['urlaub', 'wochen'], false],
    ['information', ['form', 'mat'], false],
  ])('know %p as a compound of %p: %p', (word, words, expected) => {
    expect(isCompoundOf(word, new Set(words))).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['urlaub', 'urlaubsantrag', true],
    ['kundigungsfrist', 'frist', true],
    ['port', 'transport', false],
    ['lamp', 'lamps', false],
  ])('know %p and %p as a compound and its part: %p', (one, other, expected) => {
    expect(isPartOf(one, other)).toBe(expected);
    expect(isPartOf(other, one)).toBe(expected);
  });

  it('add the words of a question to the words of a text', () => {
    const text = new Set(['30', 'tage', 'urlaub']);
    expect(withRelated(text, new Set(['urlaubstage', 'habe', 'lampe']))).toEqual(
      new Set(['30', 'tage', 'urlaub', 'urlaubstage']),
    );
  });
});

describe('a question for a number', () => {
  it.each([
    'How many employees does it have?',
    'Wie viele Urlaubstage habe ich?',
    'Combien de jours ?',
    '¿Cuántos días tengo?',
    'Сколько дней?',
    '年假有多少天？',
    'כמה ימים?',
  ])('is %p', (question) => {
    expect(asksForNumber(question)).toBe(true);
  });

  it.each(['Who lights the lamp?', 'Wie heißt der Hafen?', 'What is a quantum?'])('is not %p', (question) => {
    expect(asksForNumber(question)).toBe(false);
  });

  it('is answered by digits or words', () => {
    expect(['412 people', 'two years', 'zwölf Tage', '十五天', '٣٠ يوما'].every(hasNumber)).toBe(true);
    expect(hasNumber('The lamp is lit at dusk.')).toBe(false);
  });
});
