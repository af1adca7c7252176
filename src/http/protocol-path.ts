/** Where the OpenAI protocol is spoken, and where clients look for it whose base URL lacks `/v1`. */
const PROTOCOL_PATH = /^\/(?:v1(?:[/?]|$)|(?:chat\/completions|completions|embeddings|responses)\/?(?:\?|$))/;

/** Whether the errors at a URL are read by clients of the OpenAI protocol. */
export function isProtocolPath(url: string): boolean {
  return PROTOCOL_PATH.test(url);
}
