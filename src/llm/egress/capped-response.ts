import { ConnectionRefused } from './connection-refused.js';

/** The response with a body that fails once it is longer than `limit` bytes. */
export function capped(response: Response, limit: number): Response {
  if (response.body === null) return response;
  let read = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.byteLength;
      if (read > limit)
        controller.error(new ConnectionRefused(`The provider's answer is longer than ${limit} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
