import { NO_USAGE } from '../../models/llm/language-model.js';
import { type CitationEntry, citationEntry, type CitationForm } from '../citations/citations.js';
import { pageLabel } from '../prompt/prompt.js';
import type { Written } from '../turn.js';
import { missingSentence, missingWords } from './asked-words.js';
import type { Quotations } from './best-passages.js';

/** An answer without a language model. */
export interface Quoted {
  readonly quotations: Quotations;
  /** The question of the caller, without words of earlier questions. */
  readonly asked: string;
  readonly citations: CitationForm;
}

/**
 * Builds an answer from quotations, one paragraph each, with their sources if citations are requested. The first
 * paragraph names the words of the question that the quotations lack, and tells whether the quotations repeat the
 * previous answer. Without quotations, the answer is that none was found.
 *
 * @param processing number of documents that are still being ingested
 */
export function quotedAnswer(
  { quotations: { quotations, isCut, isRepeated }, asked, citations: form }: Quoted,
  processing: number,
): Written {
  if (quotations.length === 0 && !isCut) {
    return { ...written(noAnswer(processing)), answered: false };
  }
  const citations: CitationEntry[] = [];
  const missing =
    quotations.length === 0
      ? []
      : missingWords(
          asked,
          quotations.map(({ passage }) => passage.chunk),
        );
  const repeated = quotations.length === 1 ? 'The same passage fits best.' : 'The same passages fit best.';
  let text = [missingSentence(missing), isRepeated && quotations.length > 0 ? repeated : '']
    .filter((sentence) => sentence !== '')
    .join(' ');
  for (const { text: quoted, passage, ...evidence } of quotations) {
    text += text === '' ? quoted : `\n\n${quoted}`;
    if (form === 'none') continue;
    const label = form === 'labels' ? `[${pageLabel(passage.chunk, evidence.pageNumber)}]` : '';
    if (label !== '') text += ` ${label}`;
    const place = { start: text.length - label.length, end: text.length, text: label };
    citations.push(citationEntry(place, passage.chunk, evidence));
  }
  return {
    ...written(text),
    finishReason: isCut ? 'length' : 'stop',
    citations,
    answered: true,
    ...(missing.length === 0 ? {} : { missingWords: missing }),
  };
}

function written(text: string): Written {
  return {
    completion: text,
    text,
    reasoning: '',
    usage: NO_USAGE,
    finishReason: 'stop',
    citations: [],
    notes: [],
  };
}

/**
 * Returns the answer to a question that no passage answers.
 * @param processing number of documents that are still being ingested
 */
function noAnswer(processing: number): string {
  const answer = 'No answer found in the documents.';
  if (processing === 0) return answer;
  const documents = processing === 1 ? '1 document is' : `${processing} documents are`;
  return `${answer} ${documents} still being processed.`;
}
