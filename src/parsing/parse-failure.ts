/**
 * The file cannot become a document. The message is one sentence that says what is wrong and what to do; it becomes
 * the `error` of a document with status `failed`, not an HTTP error.
 */
export class ParseFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ParseFailure';
  }
}

/** The file has no text, and is not to be found by its looks either. */
export function noText(): ParseFailure {
  return new ParseFailure(
    'No text was found in the file: upload one with text, or ingest it by its looks with use_colpali.',
  );
}
