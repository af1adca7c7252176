/** Where the bytes of the document are, and what the caller said of them. */
export interface JobPayload {
  readonly source:
    | {
        readonly kind: 'file';
        readonly key: string;
        readonly filename: string | null;
        readonly declaredType: string | null;
      }
    | { readonly kind: 'text'; readonly key: string };
}

export interface IngestionJob {
  readonly appId: string;
  readonly jobId: string;
  readonly documentId: string;
  readonly payload: JobPayload;
  /** Tries so far, this one included. */
  readonly attempts: number;
}
