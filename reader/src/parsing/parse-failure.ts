/**
 * What no reading can change: the type is unknown or has no parser, there is no content, or a password is needed.
 */
export type Defect = 'type' | 'empty' | 'protected';

interface ParseFailureOptions extends ErrorOptions {
  readonly defect?: Defect | null;
  readonly contentType?: string | null;
}

/**
 * The file cannot become a document. The message is one sentence with the reason and a remedy. A file with a defect is
 * refused when it is sent; otherwise the message becomes the `error` of a document with status `failed`.
 */
export class ParseFailure extends Error {
  readonly defect: Defect | null;
  /** Detected type of the file; null if unknown. */
  readonly contentType: string | null;

  constructor(message: string, options: ParseFailureOptions = {}) {
    super(message, options);
    this.name = 'ParseFailure';
    this.defect = options.defect ?? null;
    this.contentType = options.contentType ?? null;
  }

  get isUnsupportedType(): boolean {
    return this.defect === 'type';
  }

  /** Returns the same failure with the type of the file. */
  of(contentType: string): ParseFailure {
    const { message, cause, defect } = this;
    return new ParseFailure(message, { cause, defect, contentType });
  }
}

/** The failure of a file that has no text. Its pages are not indexed as images either. */
export function noText(): ParseFailure {
  return new ParseFailure(
    'No text was found in the file: upload a file with text, or make page images searchable with use_colpali.',
  );
}
