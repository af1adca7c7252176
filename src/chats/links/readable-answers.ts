import { type Evidence, MAX_KEPT_SOURCES } from '../evidence.js';
import { EXTRACTIVE } from '../../models/llm/no-language-model.js';
import { idsIn, type Quoting } from '../withheld.js';
import type { DocumentText, Passage } from './document-texts.repository.js';

/** A turn of a chat as the reader of its link gets it. */
export type ReadableTurn<T> = T & { readonly isWithheld: boolean };

/** What a reader may read. */
export interface Sight {
  /** Whether the reader reads every document of the tenant: sources that are not recorded are no reason then. */
  readonly readsAll: boolean;
  /** Whether the reader may read the document with this id. */
  readonly mayRead: (id: string) => boolean;
  /** Whether the document, which the reader may read, still has the name and the text of a source. */
  readonly stillHas: (source: SourceText) => boolean;
}

/** A source at the time of the answer. */
export interface SourceText {
  readonly documentId: string;
  readonly filename: string | null;
  /** See `Evidence.source_fingerprints`; undefined in older answers. */
  readonly fingerprint: string | undefined;
  readonly answeredAt: Date;
}

/**
 * Withholds answers whose sources the reader may not all read: their text tells what the sources say and how they are
 * named, also in the words of a model. A text that was replaced since the answer, and a name that was changed, cannot be
 * read by anybody, so that nothing tells whether the reader might have read it. Later answers of a model are withheld too, because the model had the withheld answer in its
 * history. A withheld answer keeps the sources that the reader may read.
 */
export function readableAnswers<T extends Quoting & { readonly role: string; readonly createdAt: Date }>(
  turns: readonly T[],
  sight: Sight,
): ReadableTurn<T>[] {
  let isTold = false;
  return turns.map((turn) => {
    if (turn.role !== 'assistant') return { ...turn, isWithheld: false };
    const { evidence, createdAt } = turn;
    const isKnown = sight.readsAll || hasAllSources(evidence);
    const isHidden = !isKnown || (evidence !== null && !isReadable(evidence, createdAt, sight));
    const hasHistory = evidence?.model !== EXTRACTIVE;
    if (!isHidden && !(isTold && hasHistory)) return { ...turn, isWithheld: false };
    isTold = true;
    return { ...turn, content: '', evidence: remainderOf(evidence, createdAt, sight), isWithheld: true };
  });
}

/**
 * Whether a document still has the name and the text of a source. Without a fingerprint: whether its text was never replaced
 * since.
 */
export function hasText(
  text: DocumentText | undefined,
  { filename, fingerprint, answeredAt }: Omit<SourceText, 'documentId'>,
): boolean {
  if (text?.filename !== filename) return false;
  if (fingerprint !== undefined) return text.fingerprints.includes(fingerprint);
  return text.replacedAt === null || text.replacedAt < answeredAt;
}

/** The passages of answers whose fingerprints are recorded, each once. */
export function passagesIn(answers: readonly Quoting[]): Passage[] {
  const passages = answers.flatMap(({ evidence }) =>
    (evidence?.source_fingerprints ?? []).flatMap((fingerprint, at) => {
      const documentId = evidence?.sources[at]?.document_id;
      return documentId === undefined ? [] : [{ documentId, fingerprint }];
    }),
  );
  return [...new Map(passages.map((one) => [`${one.documentId} ${one.fingerprint}`, one])).values()];
}

/** Whether all sources of an answer are recorded. Of long prompts only the first are, and of old answers perhaps none. */
function hasAllSources(evidence: Evidence | null): boolean {
  return evidence !== null && evidence.sources.length < MAX_KEPT_SOURCES;
}

function isReadable(evidence: Evidence, answeredAt: Date, sight: Sight): boolean {
  return (
    idsIn(evidence).every(sight.mayRead) &&
    readableSources(evidence, answeredAt, sight).length === evidence.sources.length
  );
}

function readableSources(
  { sources, source_fingerprints: fingerprints = [] }: Evidence,
  answeredAt: Date,
  { readsAll, mayRead, stillHas }: Sight,
): Evidence['sources'] {
  return sources.filter(
    ({ document_id: documentId, filename }, at) =>
      mayRead(documentId) &&
      (readsAll || stillHas({ documentId, filename, fingerprint: fingerprints[at], answeredAt })),
  );
}

function remainderOf(evidence: Evidence | null, answeredAt: Date, sight: Sight): Evidence | null {
  return evidence === null ? null : { citations: [], sources: readableSources(evidence, answeredAt, sight) };
}
