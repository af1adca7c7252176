import { isTitle, titleBeside, titleOf, type TitleSources } from './title.js';

const title = (sources: Partial<TitleSources>): string | null =>
  titleOf({ own: null, head: '', contentType: 'text/plain', hasPages: false, filename: null, ...sources });

describe('the title of a document', () => {
  it("is the title in the file's properties", () => {
    expect(title({ own: ' The\nharbour ', head: '# Another\n\n', filename: 'a.pdf' })).toBe('The harbour');
    expect(title({ own: 'Microsoft Word - Annual_report.docx' })).toBe('Annual report');
  });

  it('is not the default title of a program', () => {
    for (const own of [
      'Untitled',
      'Untitled-1',
      'Document1',
      'PowerPoint Presentation',
      '(anonymous)',
      'Microsoft Word - x.docx',
      'Microsoft Office Word - Document1.docx',
      '0001018724-20-000004',
      '',
      42,
      null,
    ]) {
      expect(title({ own, filename: 'ADOBE_2022_10K.pdf' })).toBe('ADOBE 2022 10K');
    }
  });

  it('is the first heading, else a short first line', () => {
    expect(title({ head: 'Badges\n\n## Sea birds ##\n\nText', filename: 'a.md' })).toBe('Sea birds');
    expect(title({ head: '\nSea birds\n\nText about them', filename: 'a.txt' })).toBe('Sea birds');
  });

  it('is a whole heading near the start, not a later heading', () => {
    const words = (length: number): string => `${'word '.repeat(length / 5 - 1)}word\n\n`;
    expect(title({ head: `${words(485)}# Later heading that comes\n\nText` })).toBe(
      'Later heading that comes',
    );
    expect(title({ head: `${words(510)}# Later heading that comes\n\nText` })).toBeNull();
  });

  it('is an underlined heading', () => {
    expect(title({ head: 'Badges, many:\n\nSea birds\n=========\nText' })).toBe('Sea birds');
    expect(title({ head: 'Text\nthat goes on\n\n- item\n---\n\nText' })).toBeNull();
  });

  it('is the title in the front matter, with precedence', () => {
    const head = '---\nauthor: me\n# a comment\ntitle: "Sea birds"\n---\n\n# Introduction\n\nText';
    expect(title({ head, own: 'Introduction' })).toBe('Sea birds');
    expect(title({ head: head.replace(/title.*\n/, '') })).toBe('Introduction');
    expect(title({ head: '---\n\ntitle: Sea birds\n\n# Introduction\n---\n' })).toBe('Introduction');
  });

  it('is not a comment of source code', () => {
    const script = '# -*- coding: utf-8 -*-\n\n# Copies gulls\n\nimport gulls';
    expect(title({ head: '# Copies gulls\n\nimport gulls', contentType: 'text/x-python' })).toBeNull();
    expect(title({ head: script })).toBeNull();
    expect(title({ head: '#!/usr/bin/env bash\n\n# Copies gulls\n\ncp' })).toBeNull();
    expect(title({ head: '```sh\n# Copies gulls\n```\n\n## Sea birds' })).toBe('Sea birds');
  });

  it('is never a generated name', () => {
    const name = 'document_018f3b5e-0000-7000-8000-00000000000a';
    expect(title({ own: `${name}.txt`, head: '# Sea birds' })).toBe('Sea birds');
    expect(title({ head: `# ${name}\n\nText` })).toBeNull();
    expect(title({ head: `${name}.txt\n\nText`, filename: `${name}.txt` })).toBeNull();
  });

  it('is not a line of running text, a salutation or a letterhead', () => {
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

  it('is null if there is only a number or a generated name', () => {
    expect(title({ filename: '4983' })).toBeNull();
    expect(title({ filename: 'document_018f3b5e-0000-7000-8000-000000000000.txt' })).toBeNull();
    expect(title({})).toBeNull();
  });

  it('never starts with the syntax of headings and tables in a context', () => {
    expect(title({ own: '# | Harbour' })).toBe('Harbour');
  });

  it('includes the file name if each adds information', () => {
    expect(title({ own: 'Form 8-K', filename: 'PEPSICO_2023_8K.pdf' })).toBe('PEPSICO 2023 8K / Form 8-K');
    expect(title({ head: '# Harbour handbook\n', filename: 'harbour.md' })).toBe('Harbour handbook');
    expect(title({ own: 'Handbook', filename: 'harbour-handbook-2024.md' })).toBe('harbour handbook 2024');
  });

  it('includes a file name that is a year, a quarter, a date or a form', () => {
    for (const name of [
      '2022',
      '10-K 2022',
      'Q4 2022',
      '2022-12-31',
      '31.12.2022',
      '20221231',
      '4Q22',
      '8-K',
    ]) {
      expect(title({ own: 'Annual report', filename: `${name}.pdf` })).toBe(`${name} / Annual report`);
      expect(title({ filename: `${name}.pdf` })).toBe(name);
    }
    expect(title({ own: 'Annual report 2022', filename: '2022.pdf' })).toBe('Annual report 2022');
  });

  it('excludes a file name that is a counter or an identifier', () => {
    const names = [
      '4983',
      '0001',
      '20220',
      '12',
      '018f3b5e-2022-7000-8000-000000000000',
      'd41d8cd98f002022b2049800998ecf84',
    ];
    for (const name of names) {
      expect(title({ own: 'Annual report', filename: `${name}.pdf` })).toBe('Annual report');
    }
  });

  it('is omitted from a text that begins with it', () => {
    expect(titleBeside('# Sea  birds\n\nText', 'Sea birds')).toBeNull();
    expect(titleBeside('# Sea birds\n\nText', 'north pier / Sea birds')).toBe('north pier');
    expect(titleBeside('Text', 'north pier / Sea birds')).toBe('north pier / Sea birds');
    expect(isTitle('Sea birds', 'north pier / Sea birds')).toBe(true);
    expect(isTitle('Gulls', 'north pier / Sea birds')).toBe(false);
  });
});
