import { asksForNumber, countedTerms, hasNumber } from './number-question.js';
import { isCompoundOf, isPartOf, sharesStem, withRelated } from './related-terms.js';

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
    ['wohnheim', 'studentenwohnheims', true],
    ['port', 'transport', false],
    ['lamp', 'lamps', false],
  ])('know %p and %p as a compound and its part: %p', (one, other, expected) => {
    expect(isPartOf(one, other)).toBe(expected);
    expect(isPartOf(other, one)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['الموظفين', 'موظفا', true],
    ['الموظف', 'موظفين', true],
    ['المكتبه', 'مكتبه', true],
    ['كتاب', 'مكتب', false],
    ['emploi', 'employe', true],
  ])('know %p and %p as forms of one word: %p', (one, other, expected) => {
    expect(sharesStem(one, other)).toBe(expected);
    expect(sharesStem(other, one)).toBe(expected);
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

  it.each([
    ['How many employees does it have?', ['employe']],
    ['What is the number of the lamps?', ['lamp']],
    ['Wie viele Urlaubstage habe ich?', ['urlaubstag']],
    ['Combien d’élèves mangent ici ?', ['elev']],
    ['كم عدد الموظفين في الشركة؟', ['الموظفين']],
    ['公司有多少员工？', ['员工']],
    ['How old is it?', []],
    ['Who is it?', []],
  ])('%p counts %p', (question, terms) => {
    expect(countedTerms(question)).toEqual(terms);
  });

  it('is answered by digits or words', () => {
    expect(
      [
        '412 people',
        'two years',
        'zwölf Tage',
        '十五天',
        '٣٠ يوما',
        'خمسة كتب',
        'трёх дней',
        'девятнадцать мостов',
        'пятьдесят лет',
      ].every(hasNumber),
    ).toBe(true);
    expect(hasNumber('The lamp is lit at dusk.')).toBe(false);
  });
});
