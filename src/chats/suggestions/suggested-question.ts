import { contentTerms } from '../../lexical/analyse.js';
import { questionOf } from './question-of.js';

/** Limits of names and headings, in characters. */
const MAX_NAME = 60;
const MAX_HEADING = 60;
const MIN_HEADING = 4;

/** Matches headings that many documents have. Such headings make poor questions. */
const COMMON =
  /^(?:(?:table of )?contents|index|introduction|overview|summary|abstract|references|bibliography|appendix\b.*|glossary|notes?|acknowledg\w+|preface|foreword|about\b.*|warranty|contact|general|other\b.*|miscellaneous|background|purpose|scope|definitions?|available information|forward[-‑]looking statements|risk factors|exhibits?|signatures?)$/i;

/** A heading and the text below it. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

export interface AskedDocument {
  readonly title: string | null;
  readonly filename: string | null;
  /** The first sentences of the document, in order. */
  readonly sentences: readonly string[];
  /** The first sections of the document, in order. */
  readonly sections: readonly Section[];
}

/**
 * Makes questions about a document that a sentence of it answers: those that a sentence answers by its grammar, and then
 * one for each heading that is a question, or whose words a sentence below it says.
 */
export function questionsAbout({ title, sentences, sections }: AskedDocument): string[] {
  const answered = sentences.map(questionOf).filter((question) => question !== null);
  const topics = sections
    .map(({ heading, text }) => ({ topic: withoutNumber(heading), text }))
    .filter(
      ({ topic, text }) =>
        isTopic(topic) && topic !== title && (topic.endsWith('?') || saysWordsOf(topic, text)),
    );
  return [...new Set([...answered, ...topics.map(({ topic }) => asking(topic))])];
}

/** Asks about a document by its title or file name, where no document has a better question; at most one question. */
export function questionsByName({ title, filename }: Pick<AskedDocument, 'title' | 'filename'>): string[] {
  const name = shortTitle(title) ?? nameOf(filename);
  return name === null ? [] : [asking(name)];
}

function asking(topic: string): string {
  return topic.endsWith('?') ? topic : `What is there to know about “${topic}”?`;
}

/**
 * Picks questions in turn: the first question of each document, then the second question of each, and so on.
 *
 * @param of lists of questions, one for each document
 */
export function spread(of: readonly (readonly string[])[], count: number): string[] {
  const picked = new Set<string>();
  for (let round = 0; picked.size < count && of.some(({ length }) => length > round); round += 1) {
    for (const questions of of) {
      const question = questions[round];
      if (question !== undefined && picked.size < count) picked.add(question);
    }
  }
  return [...picked];
}

/** The sentences of a text, roughly: enough for those that are turned into questions. */
export function sentencesIn(content: string): string[] {
  return content.split(/\n\s*\n/).flatMap((paragraph) => paragraph.split(/(?<=[.!?])\s+(?=\p{Lu})/u));
}

const MARKDOWN_HEADING = /^#{2,6} +(.+)$/;
/** Matches a line without punctuation. Such a line may be a heading in the text of a PDF. */
const LINE_OF_ITS_OWN = /^\p{Lu}[^.!?:;,|]*$/u;

/** The sections whose headings a text contains. */
export function sectionsIn(content: string): Section[] {
  const paragraphs = content.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
  return paragraphs.flatMap((paragraph, index) => {
    const [line = '', ...below] = paragraph.split('\n');
    const text = [...below, paragraphs[index + 1] ?? ''].join('\n');
    const marked = MARKDOWN_HEADING.exec(line)?.[1];
    if (marked !== undefined) return [{ heading: marked, text }];
    const isAlone = below.length === 0 && line.length <= MAX_HEADING && text.length > MAX_HEADING;
    return isAlone && LINE_OF_ITS_OWN.test(line) ? [{ heading: line, text }] : [];
  });
}

function saysWordsOf(topic: string, text: string): boolean {
  const said = new Set(contentTerms(text));
  const asked = contentTerms(topic);
  return asked.length > 0 && asked.every((term) => said.has(term));
}

/** Matches characters of forms and tables, such as `☐`, `|` or `$`. */
const SYMBOLS = /[\p{S}|*_\\]/u;

/**
 * Whether a text is a number, or a word with a number of five digits or more, such as the registration number
 * `Delaware 88-0215232`.
 */
function isIdentifier(text: string): boolean {
  const [, word, number] = /^(\p{L}+[.:]?\s*)?([\p{N}\s./-]+)$/u.exec(text) ?? [];
  return number !== undefined && (word === undefined || /\p{N}{5}/u.test(number));
}

function isTopic(text: string): boolean {
  return (
    text !== text.toUpperCase() && // a heading of forms, such as CURRENT REPORT
    text.length >= MIN_HEADING &&
    text.length <= MAX_HEADING &&
    /\p{L}{3}/u.test(text) &&
    !SYMBOLS.test(text) &&
    !isIdentifier(text) &&
    !COMMON.test(text)
  );
}

/** The part of a title before the subtitle; null if this part cannot be the topic of a question. */
function shortTitle(title: string | null): string | null {
  const short = (title ?? '').split(/:\s|\s[-–—|/]\s/)[0]?.trim() ?? '';
  return isName(short) ? short : null;
}

/**
 * Makes a name from a file name: `annual report 2025` from `annual-report_2025.pdf`; null if the name cannot be a
 * topic.
 */
function nameOf(filename: string | null): string | null {
  const name = (filename ?? '')
    .replace(/\.\w{1,5}$/, '')
    .replaceAll(/[-_\s]+/g, ' ')
    .trim();
  return isName(name) ? name : null;
}

function isName(text: string): boolean {
  return text !== '' && text.length <= MAX_NAME && !isIdentifier(text);
}

/** Removes the number of a heading: `2.1 Safety`, `IV. Safety` and `§ 3 Safety` become `Safety`. */
function withoutNumber(heading: string): string {
  return heading.replace(/^(?:§\s*)?(?:\d+(?:\.\d+)*|[IVXLC]+(?=[.)]))[.):]?\s+/, '').trim();
}
