import { contentTerms } from '../../lexical/analyse.js';

/** Lengths in characters. */
const MAX_NAME = 60;
const MAX_HEADING = 60;
const MIN_HEADING = 4;

/** Headings that most documents have: a question about them says little. */
const COMMON =
  /^(?:(?:table of )?contents|index|introduction|overview|summary|abstract|references|bibliography|appendix\b.*|glossary|notes?|acknowledg\w+|preface|foreword|about|warranty|contact)$/i;

/** A heading and the text below it. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** A document to ask about. */
export interface AskedDocument {
  /** null: only the file name is known. */
  readonly title: string | null;
  readonly filename: string | null;
  /** First sections, in order. */
  readonly sections: readonly Section[];
}

/**
 * Questions about a document, from its headings, otherwise from its title; none for a document without a name. Headings
 * whose words occur in the text below come first, because passages answer them even without a language model.
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
 * Picks questions in turn from the documents: one of each, then a second one of each.
 *
 * @param of the questions of each document
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
/** A short line of its own without an end: a heading in the text of a PDF. */
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

/** Characters of forms and tables, such as `☐`, `|` or `$`. */
const SYMBOLS = /[\p{S}|*_\\]/u;

function isTopic(text: string): boolean {
  return (
    text.length >= MIN_HEADING &&
    text.length <= MAX_HEADING &&
    /\p{L}{3}/u.test(text) &&
    !SYMBOLS.test(text) &&
    !COMMON.test(text)
  );
}

/** The part before a subtitle. */
function shortTitle(title: string | null): string | null {
  const short = (title ?? '').split(/:\s|\s[-–—|/]\s/)[0]?.trim() ?? '';
  return short === '' || short.length > MAX_NAME ? null : short;
}

/** `annual-report_2025.pdf` as `annual report 2025`. */
function nameOf(filename: string | null): string | null {
  const name = (filename ?? '')
    .replace(/\.\w{1,5}$/, '')
    .replaceAll(/[-_\s]+/g, ' ')
    .trim();
  return name === '' || name.length > MAX_NAME ? null : name;
}

/** Without its number: `2.1 Safety`, `IV. Safety`, `§ 3 Safety`. */
function withoutNumber(heading: string): string {
  return heading.replace(/^(?:§\s*)?(?:\d+(?:\.\d+)*|[IVXLC]+(?=[.)]))[.):]?\s+/, '').trim();
}
