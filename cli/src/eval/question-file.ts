import { Ajv, type ErrorObject } from 'ajv';
import { isSayable, type Expected, type QuestionScope } from '@lectern/evaluation';

export interface Question {
  /** 1-based. */
  readonly line: number;
  /** Identifies the same question in another run. */
  readonly key: string;
  readonly text: string;
  readonly scope: QuestionScope;
  readonly expected: Expected;
}

export interface Problem {
  readonly line: number;
  readonly message: string;
}

interface Line extends Omit<QuestionScope, 'filters'> {
  readonly id?: string;
  readonly question: string;
  readonly filter?: object;
  readonly filters?: object;
  readonly document?: string;
  readonly page?: number | readonly number[];
  readonly quote?: string;
  readonly answer?: string | readonly string[];
  readonly relevant?: readonly string[] | Readonly<Record<string, number>>;
}

const TEXT = { type: 'string', pattern: '\\S' };
const TEXTS = { type: 'array', items: TEXT, minItems: 1 };
const PAGE = { type: 'integer', minimum: 1 };

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile<Line>({
  type: 'object',
  required: ['question'],
  additionalProperties: false,
  properties: {
    id: TEXT,
    question: TEXT,
    filter: { type: 'object' },
    filters: { type: 'object' },
    folder_name: { anyOf: [TEXT, TEXTS] },
    folder_depth: { type: 'integer' },
    end_user_id: TEXT,
    document: TEXT,
    page: { anyOf: [PAGE, { type: 'array', items: PAGE, minItems: 1 }] },
    quote: TEXT,
    answer: { anyOf: [TEXT, TEXTS] },
    relevant: {
      anyOf: [
        TEXTS,
        { type: 'object', additionalProperties: { type: 'number', minimum: 0 }, minProperties: 1 },
      ],
    },
  },
});

/** Parses a question file, one JSON object per line; empty lines are skipped. */
export function parseQuestions(text: string): { questions: Question[]; problems: Problem[] } {
  const questions: Question[] = [];
  const problems: Problem[] = [];
  const lineOf = new Map<string, number>();
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '') return;
    const line = index + 1;
    const parsed = parseLine(content);
    if (typeof parsed === 'string') {
      problems.push({ line, message: parsed });
      return;
    }
    const question = questionOf(parsed, line);
    const same = lineOf.get(question.key);
    if (same !== undefined) {
      problems.push({
        line,
        message: `the same question as in line ${same}: add an "id" that no other line has`,
      });
    }
    lineOf.set(question.key, line);
    questions.push(question);
  });
  if (questions.length + problems.length === 0)
    problems.push({ line: 1, message: 'the file contains no questions' });
  return { questions, problems };
}

/** @returns the parsed line, or an error message as a string */
function parseLine(content: string): Line | string {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (error) {
    return `not JSON: ${(error as Error).message}`;
  }
  if (!validate(value)) return (validate.errors ?? []).filter(isPlain).map(described).join('; ');
  return contradictionIn(value) ?? value;
}

/** Excludes errors inside the alternatives of an `anyOf`. The `anyOf` itself reports that no alternative matches. */
function isPlain({ schemaPath }: ErrorObject): boolean {
  return !/\/anyOf\/\d/.test(schemaPath);
}

function described({ instancePath, keyword, message = '', params }: ErrorObject): string {
  const place = instancePath === '' ? '' : `"${instancePath.slice(1).replaceAll('/', '.')}" `;
  if (keyword === 'additionalProperties') return `unknown member "${String(params['additionalProperty'])}"`;
  if (keyword === 'anyOf') return `${place}has the wrong type or is empty`;
  if (keyword === 'pattern') return `${place}must not be empty`;
  return `${place}${message}`;
}

function contradictionIn(line: Line): string | null {
  const { filter, filters, document, page, quote, answer, relevant } = line;
  if (filter !== undefined && filters !== undefined) return 'either "filter" or "filters", not both';
  if (page !== undefined && document === undefined) return '"page" needs "document"';
  if (relevant !== undefined && (page !== undefined || quote !== undefined)) {
    return '"relevant" cannot be combined with "page" or "quote"';
  }
  if (Object.keys(gradesOf(line)).length === 0 && quote === undefined && answer === undefined) {
    return 'nothing is expected of the results: add "document", "page", "quote", "answer" or "relevant"';
  }
  const empty = [...listOf(answer), ...listOf(quote)].find((phrase) => !isSayable(phrase));
  return empty === undefined ? null : `${JSON.stringify(empty)} contains no words`;
}

function questionOf(line: Line, number: number): Question {
  const { id, question, filter, filters = filter, folder_name, folder_depth, end_user_id } = line;
  const scope = {
    ...(filters === undefined ? {} : { filters }),
    ...(folder_name === undefined ? {} : { folder_name }),
    ...(folder_depth === undefined ? {} : { folder_depth }),
    ...(end_user_id === undefined ? {} : { end_user_id }),
  };
  return {
    line: number,
    key: id ?? JSON.stringify([question, scope]),
    text: question,
    scope,
    expected: {
      documents: gradesOf(line),
      pages: listOf(line.page),
      quote: line.quote ?? null,
      answers: listOf(line.answer),
    },
  };
}

function gradesOf({ document, relevant = {} }: Line): Record<string, number> {
  const graded = Array.isArray(relevant)
    ? (relevant as readonly string[]).map((name): [string, number] => [name, 1])
    : Object.entries(relevant as Readonly<Record<string, number>>).filter(([, grade]) => grade > 0);
  return Object.fromEntries([...(document === undefined ? [] : [[document, 1] as const]), ...graded]);
}

function listOf<T extends string | number>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
}
