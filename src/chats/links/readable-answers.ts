import { type Evidence, MAX_KEPT_SOURCES } from '../evidence.js';
import { EXTRACTIVE } from '../../models/llm/no-language-model.js';
import { idsIn, type Quoting } from '../withheld.js';

/** A turn of a chat as the reader of its link gets it. */
export type ReadableTurn<T> = T & { readonly isWithheld: boolean };

/**
 * Withholds answers whose sources the reader may not all read: their text tells what the sources say, also in the words
 * of a model. Later answers of a model are withheld too, because the model had the withheld answer in its history. A
 * withheld answer keeps the sources that the reader may read.
 *
 * @param mayRead whether the reader may read the document with this id
 * @param readsAll whether the reader reads every document of the tenant: sources that are not recorded are no reason then
 */
export function readableAnswers<T extends Quoting & { readonly role: string }>(
  turns: readonly T[],
  mayRead: (id: string) => boolean,
  readsAll: boolean,
): ReadableTurn<T>[] {
  let isTold = false;
  return turns.map((turn) => {
    if (turn.role !== 'assistant') return { ...turn, isWithheld: false };
    const { evidence } = turn;
    const isKnown = readsAll || hasAllSources(evidence);
    const isHidden = !isKnown || (evidence !== null && !idsIn(evidence).every(mayRead));
    const hasHistory = evidence?.model !== EXTRACTIVE;
    if (!isHidden && !(isTold && hasHistory)) return { ...turn, isWithheld: false };
    isTold = true;
    return { ...turn, content: '', evidence: remainderOf(evidence, mayRead), isWithheld: true };
  });
}

/** Whether all sources of an answer are recorded. Of long prompts only the first are, and of old answers perhaps none. */
function hasAllSources(evidence: Evidence | null): boolean {
  return evidence !== null && evidence.sources.length < MAX_KEPT_SOURCES;
}

function remainderOf(evidence: Evidence | null, mayRead: (id: string) => boolean): Evidence | null {
  if (evidence === null) return null;
  const sources = evidence.sources.filter(({ document_id }) => mayRead(document_id));
  return { citations: [], sources };
}
