import { contentTerms } from '../../lexical/analyse.js';

/** Limits of names and headings, in characters. */
const MAX_NAME = 60;
const MAX_HEADING = 60;
const MIN_HEADING = 4;

/** Matches headings that many documents have. Such headings make poor questions. */
const COMMON =
  /^(?:(?:table of )?contents|index|introduction|overview|summary|abstract|references|bibliography|appendix\b.*|glossary|notes?|acknowledg\w+|preface|foreword|about|warranty|contact)$/i;

/** A heading and the text below it. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

export interface AskedDocument {
  readonly title: string | null;
  readonly filename: string | null;
  /** The first sections of the document, in order. */
  readonly sections: readonly Section[];
}

/**
 * Makes questions about a document: one for each of its headings, or one for its title or file name if it has no
 * headings. Headings whose words occur in the text below them come first, because passages answer such questions even
 * without a language model.
 */
export function questionsAbout({ title, filename, sections }: AskedDocument): string[] {
  const topics = sections
    .map(({ heading, text }) => ({ topic: withoutNumber(heading), text }))
    .filter(({ topic }) => isTopic(topic) && topic !== title);
  const [answered, others] = [true, false].map((isAnswered) =>
    topics.filter(({ topic, text }) => saysWordsOf(topic, text) === isAnswered).map(({ topic }) => topic),
  );
  const named = [shortTitle(title) ?? nameOf(filename)].filter((name) => name !== null);
  const asked = [...new Set([...(answered ?? []), ...(others ?? [])])];
  return (asked.length > 0 ? asked : named).map((topic) =>
    topic.endsWith('?') ? topic : `What is there to know about “${topic}”?`,
  );
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
