import type { DataSource } from 'typeorm';
import { cosine, type Embedder } from '../../../src/parts.js';

/**
 * Number of sampled texts. Each text is compared with the next text, and the first half of each text with the second
 * half.
 */
const TEXTS = 100;

/** Minimum length of a sampled text, so that each half is meaningful. */
const LEAST_LENGTH = 200;

/** Mean cosine similarities of a model over a sample of the stored texts. */
export interface Calibration {
  /** Mean cosine of two different texts. */
  readonly unrelated: number;
  /** Mean cosine of the two halves of a text. */
  readonly related: number;
  /** Proposed EMBEDDING_COSINE_FLOOR. */
  readonly floor: number;
}

/**
 * Embeds both halves of a hundred stored texts and proposes a floor from their cosines. With this floor, unrelated
 * texts get a dense score of 1/2, the same as with the bundled model: `(unrelated - floor) / (1 - floor) = 1/2`.
 *
 * @returns undefined if fewer than a hundred texts are stored
 */
export async function calibrate(source: DataSource, embedder: Embedder): Promise<Calibration | undefined> {
  const rows = await source.query<{ text: string }[]>(
    `select c.content as text
     from (select app_id, external_id, live_revisions from documents order by external_id desc limit ${20 * TEXTS}) d
     join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.revision = any(d.live_revisions)
     where c.chunk_number = 0 and length(c.content) >= ${LEAST_LENGTH}
     limit ${TEXTS}`,
  );
  if (rows.length < TEXTS) return undefined;
  const firsts = await embedder.embedDocuments(rows.map(({ text }) => text.slice(0, text.length / 2)));
  const seconds = await embedder.embedDocuments(rows.map(({ text }) => text.slice(text.length / 2)));
  const related = meanCosine(firsts, seconds);
  const unrelated = meanCosine(firsts, [...firsts.slice(1), ...firsts.slice(0, 1)]);
  return { unrelated, related, floor: Math.max(-1, Math.round((2 * unrelated - 1) * 20) / 20) };
}

/** Mean cosine of the vectors at the same index of both lists. */
function meanCosine(ones: readonly Float32Array[], others: readonly Float32Array[]): number {
  const sum = ones.reduce((before, one, at) => before + cosine(one, others[at] ?? one), 0);
  return sum / ones.length;
}
