import { questionsAbout, questionsByName, sectionsIn, sentencesIn, spread } from './suggested-question.js';

const about = (topic: string): string => `What is there to know about “${topic}”?`;

describe('suggested questions', () => {
  it('are about headings whose words the text below says, and those that are questions', () => {
    const sections = [
      { heading: '1. Introduction', text: 'An introduction.' },
      { heading: '2.1 Safety', text: 'Switch off the mains.' },
      { heading: 'IV. Irrigation', text: 'Irrigation runs at dusk.' },
      { heading: 'How does it work?', text: 'It heats.' },
      { heading: 'General', text: 'General rules apply.' },
      { heading: 'CURRENT REPORT', text: 'This is a current report.' },
    ];
    expect(questionsAbout({ title: 'Manual', filename: 'm.md', sentences: [], sections })).toEqual([
      about('Irrigation'),
      'How does it work?',
    ]);
  });

  it('are those that a sentence answers, before those about headings', () => {
    const sentences = sentencesIn('The lamp is a light on the pier. It is old.\n\nThe lamp is lit at dusk.');
    const sections = [{ heading: 'Irrigation', text: 'Irrigation runs at dusk.' }];
    expect(questionsAbout({ title: 'Manual', filename: 'm.md', sentences, sections })).toEqual([
      'What is the lamp?',
      'When is the lamp lit?',
      about('Irrigation'),
    ]);
  });

  it('are not about boxes and tables of forms', () => {
    const sections = ['Yes ☒ No ☐', 'Revenue | Costs', 'Fee of $100', 'Opening hours'].map((heading) => ({
      heading,
      text: `${heading}.`,
    }));
    expect(questionsAbout({ title: null, filename: null, sentences: [], sections })).toEqual([
      about('Opening hours'),
    ]);
  });

  it('are not about numbers', () => {
    const numbers = ['Delaware 88-0215232', 'Form: 123456', 'CIK0001234567', 'No. 123456'];
    const topics = ['Form 1099', 'Minutes 2025-06-01', 'Route 12345 in winter'];
    const sections = [...numbers, ...topics].map((heading) => ({ heading, text: `${heading}.` }));
    expect(questionsAbout({ title: null, filename: null, sentences: [], sections })).toEqual(
      topics.map(about),
    );
  });

  it.each([
    ['Fernleaf GC-200: owner’s manual', 'm.md', [about('Fernleaf GC-200')]],
    [null, 'annual-report_2025.pdf', [about('annual report 2025')]],
    ['2025', 'm.md', [about('m')]],
    [null, 'scan_20250114.pdf', []],
    [null, null, []],
  ])('ask by the title %p or the file name %p', (title, filename, expected) => {
    expect(questionsByName({ title, filename })).toEqual(expected);
  });

  it('come from all documents in turn, without repetition', () => {
    expect(spread([['a', 'b', 'c'], ['d'], ['a', 'e']], 4)).toEqual(['a', 'd', 'b', 'e']);
    expect(spread([[], ['d']], 3)).toEqual(['d']);
    expect(spread([], 3)).toEqual([]);
  });

  it('find headings in Markdown and in the text of a PDF', () => {
    const below = 'Income rose by eleven per cent, mostly through the grant for the mirror.';
    const text = `1 / 4\n\nThe main mirror\n\n${below}\n\n## Money\n${below}\n\nShort\n\nToo short.\n\nA sentence.\n\n${below}`;
    expect(sectionsIn(text).map(({ heading }) => heading)).toEqual(['The main mirror', 'Money']);
  });
});
