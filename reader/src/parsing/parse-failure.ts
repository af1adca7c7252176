interface ParseFailureOptions extends ErrorOptions {
  readonly isUnsupportedType?: boolean;
  readonly contentType?: string | null;
}

/**
 * The file cannot become a document. The message is one sentence with the reason and a remedy. The message becomes the
 * `error` of a document with status `failed`, not an HTTP error.
 */
export class ParseFailure extends Error {
  readonly isUnsupportedType: boolean;
  /** Detected type of the file; null if unknown. */
  readonly contentType: string | null;

  constructor(message: string, options: ParseFailureOptions = {}) {
    super(message, options);
    this.name = 'ParseFailure';
    this.isUnsupportedType = options.isUnsupportedType ?? false;
    this.contentType = options.contentType ?? null;
  }

  /** Returns the same failure with the type of the file. */
  of(contentType: string): ParseFailure {
    const { message, cause, isUnsupportedType } = this;
    return new ParseFailure(message, { cause, isUnsupportedType, contentType });
  }
}

/** The failure of a file that has no text. Its pages are not indexed as images either. */
export function noText(): ParseFailure {
  return new ParseFailure(
    'No text was found in the file: upload a file with text, or make page images searchable with use_colpali.',
  );
}
