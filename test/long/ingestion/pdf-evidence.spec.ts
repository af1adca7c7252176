import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PDFiumLibrary, type PDFiumDocument } from '@hyzyla/pdfium';
import { DocumentReader, Readers, type ReadResult } from '#reader';

const FOLDER = resolve(process.env['LECTERN_DATASETS'] ?? '../shared/data', 'pdf');

interface Question {
  readonly id: string;
  readonly document: string;
  /** Numbered from 1. */
  readonly evidence_pages: readonly number[];
}

const questions = existsSync(join(FOLDER, 'questions.jsonl'))
  ? readFileSync(join(FOLDER, 'questions.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Question)
  : [];

/** The text that answers each question, as printed on its pages, one list per page. */
const EVIDENCE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  financebench_id_00438: [['Total revenue 17,606 15,785 12,868', 'Operating income 6,098 5,802 4,237']],
  financebench_id_00591: [
    ['Net income $ 4,756 $ 4,822 $ 5,260', 'Net cash provided by operating activities 7,838 7,230 5,727'],
  ],
  financebench_id_08286: [['Net income $ 3,033 $ 10,073 $ 11,588']],
  financebench_id_01936: [
    ['Employee Costs', 'The Company expects the majority of the liability for employee'],
  ],
  financebench_id_00685: [['Gross profit 9,912 11,640 10,573']],
  financebench_id_01077: [
    [
      'we acquired all of the outstanding shares of Current Health Ltd.',
      'we acquired all of the outstanding shares of Two Peaks, LLC d/b/a Yardbird Furniture',
    ],
  ],
  financebench_id_01275: [['Total cash provided by operating activities 1,824 3,252 4,927']],
  financebench_id_04209: [['TOTAL ASSETS $ 59,268 $ 55,556']],
  financebench_id_00839: [
    ['Mary N. Dillon, 61, former Executive Chair and Chief Executive Officer of Ulta Beauty, Inc.'],
  ],
  financebench_id_01488: [
    ['will now present its Consumer Health business financial results as discontinued operations'],
  ],
  financebench_id_01490: [['gain of approximately $20 billion']],
  financebench_id_01491: [['Company secured $13.2 billion in cash proceeds from the Kenvue debt offering']],
  financebench_id_00407: [['Corporate bonds Level 2 416,420 213,875']],
  financebench_id_04458: [
    ['Net income $ 122,641 $ 266,799 $ 112,403'],
    ['Net cash (used in) provided by operating activities (749,439) 16,483 97,831'],
  ],
  financebench_id_01482: [
    ['The shareholder proposal regarding a congruency report on net-zero emissions policies was defeated'],
  ],
  financebench_id_00601: [
    ['lower marketing expenses and leverage of incentive compensation due to higher sales'],
  ],
  financebench_id_00603: [['The $104.2 million increase was primarily due to the opening of 47 new stores']],
  financebench_id_00605: [
    [
      'repurchased 722,457 shares of its common stock at a cost of $328.1 million',
      'repurchased 2.2 million shares of its common stock at a cost of $900.0 million',
    ],
  ],
  financebench_id_00606: [['deleverage of store payroll and benefits']],
};

/** Least share of the words of a page that must be found; pages with a known lower share are named. */
const MIN_WORDS = 0.98;
const FEWER_WORDS: Readonly<Record<string, number>> = {
  // PDFium splits a word at raised letters: "1 st".
  'ULTABEAUTY_2023Q4_EARNINGS.pdf 8': 0.97,
  'ULTABEAUTY_2023Q4_EARNINGS.pdf 9': 0.96,
  // PDFium loses an f of the ligature "ff": "af ect".
  'FOOTLOCKER_2022_8K_dated_2022-08-19.pdf 31': 0.97,
  // Only a number, whose digits PDFium separates.
  'MGMRESORTS_2023Q2_10Q.pdf 57': 0.09,
};

/** Normalises white space, since sentences continue over lines and table cells. */
const onOneLine = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ');

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

// The PDFs are reports of other parties and not part of this repository; without them the spec is skipped.
if (questions.length === 0) {
  it.skip(`finds the evidence of questions: skipped, no PDFs in ${FOLDER} (LECTERN_DATASETS)`, () =>
    undefined);
} else {
  describe('reports with known evidence pages', () => {
    const readers = new Readers();
    const reader = new DocumentReader(readers);
    let pdfium: PDFiumLibrary;
    beforeAll(async () => {
      pdfium = await PDFiumLibrary.init();
    });
    afterAll(async () => {
      pdfium.destroy();
      await readers.close();
    });

    it.each([...new Set(questions.map(({ document }) => document))])('%s', async (name) => {
      const bytes = await readFile(join(FOLDER, name));
      const result = await reader.read(new Uint8Array(bytes), { filename: name });
      const oracle = await pdfium.loadDocument(new Uint8Array(bytes));
      expect(result.document.pageCount).toBe(oracle.getPageCount());
      for (const { id, document, evidence_pages: pages } of questions) {
        if (document !== name) continue;
        pages.forEach((page, index) => {
          expect(EVIDENCE[id]?.[index]?.length).toBeGreaterThan(0);
          for (const text of EVIDENCE[id]?.[index] ?? []) {
            expect([page, onOneLine(pageOf(result, page))]).toEqual([page, expect.stringContaining(text)]);
            expect(pagesOfPiecesWith(result, text.split(' ').slice(0, 3).join(' '))).toContain(page);
          }
        });
      }
      expect(pagesWithoutTheirWords(name, result, oracle)).toEqual([]);
      oracle.destroy();
    });
  });
}

function pageOf({ document }: ReadResult, number: number): string {
  const page = document.pages[number - 1];
  return document.text.slice(page?.start, page?.end);
}

function pagesOfPiecesWith({ document, pieces }: ReadResult, text: string): (number | null)[] {
  return pieces
    .filter(({ start, end }) => onOneLine(document.text.slice(start, end)).includes(text))
    .map(({ pageNumber }) => pageNumber);
}

/**
 * Returns pages that lack words which PDFium, an independent parser, finds on them, and the share that is
 * present.
 */
function pagesWithoutTheirWords(
  name: string,
  result: ReadResult,
  oracle: PDFiumDocument,
): (readonly [number, number])[] {
  return result.document.pages
    .map(({ pageNumber }) => {
      const found = new Map<string, number>();
      for (const word of wordsOf(pageOf(result, pageNumber))) found.set(word, (found.get(word) ?? 0) + 1);
      const wanted = wordsOf(oracle.getPage(pageNumber - 1).getText());
      const there = wanted.filter((word) => {
        const left = found.get(word) ?? 0;
        found.set(word, left - 1);
        return left > 0;
      });
      return [pageNumber, wanted.length === 0 ? 1 : there.length / wanted.length] as const;
    })
    .filter(([page, part]) => part < (FEWER_WORDS[`${name} ${page}`] ?? MIN_WORDS));
}
