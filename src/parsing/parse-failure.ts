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
