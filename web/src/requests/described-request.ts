/** A request to the service as code shows it; what would be the key is named by its variable. */
export interface DescribedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the ids in it, without the query string. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a form: the name of the file, and the other members. */
  readonly form?: { readonly file: string; readonly fields: Readonly<Record<string, string>> };
  /** The call of the TypeScript client, in terms of `lectern`. */
  readonly call: string;
}
