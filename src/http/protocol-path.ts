/** Matches paths under `/v1`, the base path of the OpenAI protocol. */
const PROTOCOL_PATH = /^\/v1(?:[/?]|$)/;

/** Matches paths of the protocol without `/v1`, as a client with a wrong base URL sends them. */
const PATH_WITHOUT_BASE =
  /^\/(?:assistants|audio|batches|chat\/completions|completions|conversations|embeddings|files|fine_tuning|images|models\/[^/?]+|moderations|responses|threads|uploads|vector_stores)(?![^/?])/;

export function isProtocolPath(url: string): boolean {
  return PROTOCOL_PATH.test(url);
}

/** Whether an unknown path is a path of the OpenAI protocol that lacks `/v1`. */
export function lacksProtocolBase(url: string): boolean {
  return PATH_WITHOUT_BASE.test(url);
}
