import type { DataSource } from 'typeorm';
import type { Embedder } from '../../../src/parts.js';

/** Texts that are compared, each with the next one and with itself. */
const TEXTS = 100;

/** Characters of which a text has at least so many: a half of it still says something. */
const LEAST_LENGTH = 200;

/** What the cosines of a model are like, over the texts that are stored. */
export interface Calibration {
  /** Mean cosine of two different texts. */
  readonly unrelated: number;
  /** Mean cosine of the two halves of one text. */
  readonly related: number;
  /** For EMBEDDING_COSINE_FLOOR. */
  readonly floor: number;
}

/**
 * Embeds both halves of a hundred stored texts. With the floor it proposes, texts that have nothing to do with each other
 * get a dense score of one half, as they do with the bundled model: `(unrelated - floor) / (1 - floor) = 1/2`.
 * @returns undefined where fewer than a hundred texts are stored
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
  const halves = rows.flatMap(({ text }) => [text.slice(0, text.length / 2), text.slice(text.length / 2)]);
  const vectors = await embedder.embedDocuments(halves);
  const cosines = (step: number): number[] =>
    rows.map((_, at) => dot(vectors[2 * at], vectors[(2 * at + step) % vectors.length]));
  const [related, unrelated] = [mean(cosines(1)), mean(cosines(2))];
  return { unrelated, related, floor: Math.max(-1, Math.round((2 * unrelated - 1) * 20) / 20) };
}

function dot(one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
