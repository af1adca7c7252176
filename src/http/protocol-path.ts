/** Base path of the OpenAI protocol. */
const PROTOCOL_PATH = /^\/v1(?:[/?]|$)/;

/** Paths of the protocol from a client whose base URL lacks `/v1`. */
const PATH_WITHOUT_BASE =
  /^\/(?:assistants|audio|batches|chat\/completions|completions|conversations|embeddings|files|fine_tuning|images|models\/[^/?]+|moderations|responses|threads|uploads|vector_stores)(?![^/?])/;

export function isProtocolPath(url: string): boolean {
  return PROTOCOL_PATH.test(url);
}

/** Whether a client of the protocol asks for this path that no route has, because its base URL lacks `/v1`. */
export function lacksProtocolBase(url: string): boolean {
  return PATH_WITHOUT_BASE.test(url);
}
