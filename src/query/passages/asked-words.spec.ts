import { chunkOf } from '../../../test/support/chunks.js';
import { NO_CONTEXT } from '../../lexical/chunk-context.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { askedWords, PassageWords } from './asked-words.js';

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

  it('are not those in its context, file name or metadata', () => {
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
