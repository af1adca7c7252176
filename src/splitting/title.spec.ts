import { isTitle, titleBeside, titleOf, type TitleSources } from './title.js';

const title = (sources: Partial<TitleSources>): string | null =>
  titleOf({ own: null, head: '', hasPages: false, filename: null, ...sources });

describe('the title of a document', () => {
  it('is what its format says', () => {
    expect(title({ own: ' The\nharbour ', head: '# Another\n\n', filename: 'a.pdf' })).toBe('The harbour');
    expect(title({ own: 'Microsoft Word - Annual_report.docx' })).toBe('Annual report');
  });

  it('is not what programs write for want of a title', () => {
    for (const own of ['Untitled', 'Document1', '0001018724-20-000004', '', 42, null]) {
      expect(title({ own, filename: 'ADOBE_2022_10K.pdf' })).toBe('ADOBE 2022 10K');
    }
  });

  it('is the first heading, else a short first line', () => {
    expect(title({ head: 'Badges\n\n## Sea birds ##\n\nText', filename: 'a.md' })).toBe('Sea birds');
    expect(title({ head: '\nSea birds\n\nText about them', filename: 'a.txt' })).toBe('Sea birds');
  });

  it('is no line of running text, no salutation and no letterhead on a page', () => {
    const filename = 'notes-from-the_pier.v2.txt';
    for (const head of [
      'A line\nthat goes on',
      `${'word '.repeat(40)}\n\n`,
      'Dear Sir,\n\nText',
      'One line',
    ]) {
      expect(title({ head, filename })).toBe('notes from the pier v2');
    }
    expect(title({ head: 'CITY OF HAMBURG\n\nText', hasPages: true, filename })).toBe(
      'notes from the pier v2',
    );
  });

  it('is nothing where there is but a number or a name that the service gave', () => {
    expect(title({ filename: '4983' })).toBeNull();
    expect(title({ filename: 'document_018f3b5e-0000-7000-8000-000000000000.txt' })).toBeNull();
    expect(title({})).toBeNull();
  });

  it('never begins as headings and tables do in a context', () => {
    expect(title({ own: '# | Harbour' })).toBe('Harbour');
  });

  it('has the file name in front, where either says more than the other', () => {
    expect(title({ own: 'Form 8-K', filename: 'PEPSICO_2023_8K.pdf' })).toBe('PEPSICO 2023 8K / Form 8-K');
    expect(title({ head: '# Harbour handbook\n', filename: 'harbour.md' })).toBe('Harbour handbook');
    expect(title({ own: 'Handbook', filename: 'harbour-handbook-2024.md' })).toBe('harbour handbook 2024');
  });

  it('is left out of a text that begins with it, as far as the text has it', () => {
    expect(titleBeside('# Sea  birds\n\nText', 'Sea birds')).toBeNull();
    expect(titleBeside('# Sea birds\n\nText', 'north pier / Sea birds')).toBe('north pier');
    expect(titleBeside('Text', 'north pier / Sea birds')).toBe('north pier / Sea birds');
    expect(isTitle('Sea birds', 'north pier / Sea birds')).toBe(true);
    expect(isTitle('Gulls', 'north pier / Sea birds')).toBe(false);
  });
});
