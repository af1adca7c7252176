import { t } from '../language/translate.js';
export interface UploadOptions {
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly pages: boolean;
}

/** A file to send, and the document that it replaces; null: a new document. */
export interface UploadedFile {
  readonly file: File;
  /** Path of the target folder; empty: no folder. */
  readonly folder: string;
  readonly replaces: string | null;
  /** Whether a document in the folder already has this name. */
  readonly isTwin?: boolean;
}

export type UploadStep =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'parsing'
  | 'embedding'
  | 'storing'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'unsent';

/** A file being uploaded and processed. Plain data, so that it survives a reload. */
export interface Upload {
  readonly key: number;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Empty: no folder. */
  readonly folder: string;
  /**
   * checking: the page was reloaded while the file was being sent, so the service may have received it; unsent: the
   * page was reloaded before the file was sent.
   */
  readonly state: 'waiting' | 'sending' | 'checking' | 'processing' | 'completed' | 'failed' | 'unsent';
  readonly step: UploadStep;
  /** 0 to 100. */
  readonly percentage: number;
  readonly documentId: string | null;
  /** Why it failed: the document was deleted, or what the service says. */
  readonly problem: 'deleted' | { readonly text: string } | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the name of the file was new in the folder. */
  readonly isNew: boolean;
}

export function isEnded({ state }: Upload): boolean {
  return state === 'completed' || state === 'failed' || state === 'unsent';
}

/** The share of sending in the work for a file. The rest is reading and embedding. */
const SENDING = 0.2;
/** Work for a file that does not depend on its size, in bytes. */
const LEAST_BYTES = 50_000;
/** Minimum elapsed time for an estimate of the remaining time. */
const LEAST_MS = 3_000;

/** The progress of all uploads of a list together. */
export interface Overall {
  /** 0 to 1. */
  readonly share: number;
  /** In milliseconds; null: not known yet. */
  readonly left: number | null;
}

/** Progress of all uploads by their sizes. Failed and unsent files count as done. */
export function overallOf(uploads: readonly Upload[], now: number): Overall {
  const open = uploads.filter((one) => !isEnded(one));
  const begun = Math.min(...open.map(({ startedAt }) => startedAt));
  // Files of earlier uploads are left out, because they would distort the estimate.
  const batch = uploads.filter(({ startedAt, state }) => startedAt >= begun && state !== 'unsent');
  const weight = ({ size }: Upload): number => size + LEAST_BYTES;
  const all = batch.reduce((sum, one) => sum + weight(one), 0);
  const done = batch.reduce((sum, one) => sum + weight(one) * shareOf(one), 0);
  const share = all === 0 ? 1 : done / all;
  const spent = now - begun;
  return { share, left: share === 0 || spent < LEAST_MS ? null : (spent / share) * (1 - share) };
}

function shareOf(upload: Upload): number {
  if (isEnded(upload)) return 1;
  const part = upload.percentage / 100;
  return upload.state === 'processing' ? SENDING + (1 - SENDING) * part : SENDING * part;
}

/** A remaining time in words. */
export function timeLeft(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return t('upload.leftLittle');
  if (minutes < 90) return t('upload.leftMinutes', { count: minutes });
  return t('upload.leftHours', { count: Math.round(minutes / 60) });
}
