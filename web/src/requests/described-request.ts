/** A request to display as code. The code takes the key from an environment variable. */
export interface DescribedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with ids filled in, without the query string. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** JSON body. */
  readonly body?: object;
  /** Form body: file name and other fields. */
  readonly form?: { readonly file: string; readonly fields: Readonly<Record<string, string>> };
  /** The equivalent call of the TypeScript client, on `lectern`. */
  readonly call: string;
}
