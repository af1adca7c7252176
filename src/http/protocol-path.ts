/** Where the OpenAI protocol is spoken, and where clients look for it whose base URL lacks `/v1`. */
const PROTOCOL_PATH = /^\/(?:v1(?:[/?]|$)|(?:chat\/completions|completions|embeddings|responses)\/?(?:\?|$))/;

export function isProtocolPath(url: string): boolean {
  return PROTOCOL_PATH.test(url);
}
