import { LecternError } from './errors.js';

/** Result of an `openapi-fetch` request. */
interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a successful response. @throws LecternError otherwise */
export async function answered<Data>(answer: Promise<Answer<Data>>): Promise<Exclude<Data, undefined>> {
  const { data, error, response } = await answer;
  if (!response.ok) throw LecternError.of(response, error);
  return data as Exclude<Data, undefined>;
}
