import { NO_CONTEXT } from '#reader';
import { chunkOf } from '../../../test/support/chunks.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { askedWords, missingSentence, missingWords, PassageWords } from './asked-words.js';

const names = (question: string): string[] =>
  askedWords(question)
    .filter(({ isName }) => isName)
    .map(({ start, end }) => question.slice(start, end));

const missing = (question: string, chunk: Partial<RetrievedChunk>): string[] => {
  const passage = new PassageWords(chunkOf({ filename: null, ...chunk }));
  return askedWords(question)
    .filter((word) => !passage.has(word))
    .map(({ start, end }) => question.slice(start, end));
};

const hasNumbers = (question: string, chunk: Partial<RetrievedChunk>): boolean => {
  const passage = new PassageWords(chunkOf({ filename: null, ...chunk }));
  return askedWords(question).every((word) => passage.hasNumbers(word));
};

describe('names of a question', () => {
  it.each([
    ['How many employees does Tesla have?', ['Tesla']],
    ["What was Coca-Cola's revenue in April?", ["Coca-Cola's", 'April']],
    ['It broke. Which part did Ann order?', ['Ann']],
    ['Сколько сотрудников работает в Тесле?', ['Тесле']],
    ['who is the ceo of microsoft', []],
    ['WHO OWNS TESLA?', []],
    ['特斯拉有多少员工？', []],
    ['كم عدد موظفي تسلا؟', []],
  ])('of %p', (question, expected) => {
    expect(names(question)).toEqual(expected);
  });
});

describe('words missing in a passage', () => {
  it.each([
    ['How many employees does Tesla have?', 'We had 288,000 employees.', ['Tesla']],
    ['how many employees does tesla have', 'We had 288,000 employees.', ['tesla']],
    ["What are Tesla's plans?", 'Tesla plans a factory.', []],
    ['Who is the CEO of Acme?', 'Ann Lee, Chief Executive Officer of Acme.', []],
    ['Сколько машин в Москве?', 'Москва: машин 900.', ['Сколько', 'в']],
    ['Wie hoch ist der Umsatz von Siemens?', 'Der Umsatz stieg.', ['Wie', 'hoch', 'ist', 'von', 'Siemens']],
    ['Tesla有多少员工？', '员工人数为三万。', ['Tesla']],
    ['Is it Austria?', 'Australia is large.', ['Austria']],
  ])('%p of %p', (question, content, expected) => {
    expect(missing(question, { content })).toEqual(expected);
  });

  it('exclude words in its context, file name or metadata', () => {
    const content = 'We opened five stores.';
    const question = 'How many stores did Best Buy open?';
    expect(missing(question, { content })).toEqual(['Best', 'Buy']);
    expect(missing(question, { content, filename: 'BESTBUY_2023_10K.pdf' })).toEqual([]);
    expect(missing(question, { content, context: { ...NO_CONTEXT, title: 'Best Buy' } })).toEqual([]);
    const headings = [{ level: 1, text: 'Best Buy' }];
    expect(missing(question, { content, context: { ...NO_CONTEXT, headings } })).toEqual([]);
    expect(missing(question, { content, metadata: { company: 'Best Buy' } })).toEqual([]);
    expect(missing(question, { content, metadata: { external_id: 'best buy' } })).toEqual(['Best', 'Buy']);
  });
});

describe('numbers of a question', () => {
  it.each([
    ['What was sold in 2022?', 'In 2022 we sold a lot.', true],
    ['What was sold in 2022?', 'In 2021 we sold a lot.', false],
    ['What was sold in FY2022?', 'In fiscal 2022 we sold a lot.', true],
    ['What was sold in 2022?', 'Sales of FY22 rose.', true],
    ['What was sold in 2022?', "Sales of '22 rose.", true],
    ['What was sold in 2022?', 'We sold 22 cars.', false],
    ['Who has 288,000 employees?', 'There are 288 000 or 288.000 employees.', true],
    ['Who has 288000 employees?', 'We had 288,000 employees.', true],
    ['Who has 288 employees?', 'We had 288,000 employees.', false],
    ['Who has 1 288 000 employees?', "We had 1'288'000 employees.", true],
    ['Who has 12 500 employees?', 'We had 12,500 employees.', true],
    ['Who has 12500 employees?', 'We had 12 500 employees.', true],
    ['Who has 12500 employees?', 'We had 12\u202f500 employees.', true],
    ['Who has 12,34,567 employees?', 'We had 1,234,567 employees.', true],
    ['Who has 12’500 employees?', 'We had 12 500 employees.', true],
    ['Who has 1,234.50 euros?', 'It costs 1.234,50 euros.', true],
    ['Who has 1234 euros?', 'It costs 1.334,50 euros.', false],
    ['Who has 500 employees?', 'We had 12 500 employees.', true],
    ['What are the 12 months?', 'The twelve months are long.', true],
    ['ماذا حدث في ٢٠٢٢؟', 'في عام 2022 زادت المبيعات.', true],
    ['2022年卖了多少？', '2021年卖了三万。', false],
  ])('%p of %p', (question, content, expected) => {
    expect(hasNumbers(question, { content })).toBe(expected);
  });

  it('may be in the file name or the metadata, but not in the offsets of the chunk', () => {
    const question = 'What was sold in 2022?';
    expect(hasNumbers(question, { content: 'A lot.', filename: 'report-2022.pdf' })).toBe(true);
    expect(hasNumbers(question, { content: 'A lot.', metadata: { year: 2022 } })).toBe(true);
    expect(hasNumbers(question, { content: 'A lot.', metadata: { start_offset: 2022 } })).toBe(false);
  });
});

const missingInAll = (question: string, ...contents: readonly string[]): string[] =>
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
    expect(missingInAll(question, content)).toEqual(expected);
  });

  it.each([
    ['When do the shops open?', 'The stores open at nine.'],
    ['¿Cuántas personas caben?', 'El aforo es de 350 personas que caben.'],
    ['Quand le bâtiment a-t-il été construit ?', 'Le bâtiment a été construit en 1932.'],
    ['كم عدد الموظفين في الشركة؟', 'يعمل في الشركة 240 موظفا.'],
    ['Who is the CEO of Halvornia?', 'Ann Lee is the Chief Executive Officer of Halvornia.'],
    ['Wann öffnen die Läden in Halvornia?', 'In Halvornia öffnen die Läden um neun.'],
    ['Combien coûte le billet ?', 'Le prix du billet est de 3 euros.'],
    ['¿Cuánto cuesta el billete?', 'El precio del billete es de 3 euros.'],
    ['Сколько стоит билет?', 'Цена билета: 3 евро.'],
    ['保修期多长？', '退货期为两年。'],
  ])('are none in %p about %p: common words have synonyms', (question, content) => {
    expect(missingInAll(question, content)).toEqual([]);
  });

  it('do not occur in any of several passages, their headings and their file names', () => {
    const question = 'Who is the CEO of Wistermark?';
    expect(missingInAll(question, 'Ann is the CEO.', 'Wistermark is a company.')).toEqual([]);
    expect(
      missingWords(question, [chunkOf({ content: 'Ann is the CEO.', filename: 'wistermark.pdf' })]),
    ).toEqual([]);
  });

  it('are listed in one sentence', () => {
    expect(missingSentence([])).toBe('');
    expect(missingSentence(['A'])).toBe('“A” is in none of these passages.');
    expect(missingSentence(['A', 'B', 'C'])).toBe('“A”, “B” and “C” are in none of these passages.');
  });
});
