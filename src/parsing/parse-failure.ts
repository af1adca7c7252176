/**
 * The file cannot become a document. The message is one sentence that says what is wrong and what to do; it becomes
 * the `error` of a document with status `failed`, not an HTTP error.
 */
export class ParseFailure extends Error {
  /** Whether no file of this type can be read, rather than this one file. */
  readonly isUnsupportedType: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isUnsupportedType?: boolean } = {}) {
    super(message, options);
    this.name = 'ParseFailure';
    this.isUnsupportedType = options.isUnsupportedType ?? false;
  }
}

/** The file has no text, and is not to be found by its looks either. */
export function noText(): ParseFailure {
  return new ParseFailure(
    'No text was found in the file: upload one with text, or ingest it by its looks with use_colpali.',
  );
}
