/** A request to display as code; the key is represented by its environment variable. */
export interface DescribedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With ids, without the query string. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON body. */
  readonly body?: object;
  /** Form body: file name and other fields. */
  readonly form?: { readonly file: string; readonly fields: Readonly<Record<string, string>> };
  /** The equivalent call of the TypeScript client, on `lectern`. */
  readonly call: string;
}
