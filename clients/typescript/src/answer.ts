import { LecternError } from './errors.js';

/** What `openapi-fetch` gives for a request. */
interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful answer. @throws LecternError for any other */
export async function answered<Data>(answer: Promise<Answer<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw LecternError.of(response, error);
  return data as Exclude<Data, undefined>;
}
