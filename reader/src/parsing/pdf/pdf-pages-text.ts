import { spellingIn, withWordsJoined } from './hyphens.js';
import { continuesOn, withRunningLinesOnly, type PageParts } from './page-edges.js';
import { joinLines } from './page-text.js';

export interface PageTexts {
  readonly texts: readonly string[];
  /** Whether the last sentence of a page continues on the next page. */
  readonly isContinued: readonly boolean[];
}

/**
 * Puts the parts of pages together. If a sentence runs over a page break, the running headers and footers between its
 * parts follow after the page that completes it. Broken words are joined.
 */
export function textsOfPages(pages: readonly PageParts[]): PageTexts {
  const parts = withRunningLinesOnly(pages);
  const isContinued = parts.map((page, index) => {
    const next = parts[index + 1];
    return next !== undefined && continuesOn(page, next);
  });
  const spelling = spellingIn(parts.map(({ body }) => body));
  const bodies = withWordsOverPages(
    parts.map(({ body }) => body),
    isContinued,
  ).map((body) => withWordsJoined(body, spelling).trimEnd());
  const texts: string[] = [];
  let later: string[] = [];
  for (const [index, part] of parts.entries()) {
    const [head, foot] = [joinLines(part.head), joinLines(part.foot)];
    const isInSentence = isContinued[index - 1] === true;
    if (isInSentence) later.push(head);
    const isOpen = isContinued[index] === true;
    const after = isOpen ? [] : [...later, foot];
    later = isOpen ? [...later, foot] : [];
    texts.push(
      [...(isInSentence ? [] : [head]), bodies[index] ?? '', ...after]
        .filter((text) => text !== '')
        .join('\n\n'),
    );
  }
  return { texts, isContinued };
}

/** Moves the second part of a word that is broken at the end of a page to the first part. */
function withWordsOverPages(bodies: readonly string[], isContinued: readonly boolean[]): string[] {
  const moved = [...bodies];
  for (const [index, body] of bodies.entries()) {
    const next = moved[index + 1];
    if (isContinued[index] !== true || next === undefined || !/\p{L}[-\u2010\u00ad]$/u.test(body)) continue;
    const [part = ''] = /^\p{Ll}\S*/u.exec(next) ?? [];
    if (part === '' || part.length === next.length) continue;
    moved[index] = `${moved[index] ?? ''}\n${part}`;
    moved[index + 1] = next.slice(part.length).trimStart();
  }
  return moved;
}
