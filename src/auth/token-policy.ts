import type { Permission } from './permissions.js';

/**
 * What a token may be used for, and the permission of the key that each use needs. Each route names its use
 * (`@Route({ token })`); a route without a use refuses tokens. `schema` and `tools` have no route: they allow members of
 * a question.
 */
export const TOKEN_USES = {
  read: 'read',
  query: 'query',
  documents: 'read',
  chunks: 'read',
  page_images: 'read',
  places: 'read',
  download: 'read',
  suggestions: 'query',
  feedback: 'query',
  chats: 'query',
  ingest: 'write',
  status: 'read',
  schema: 'query',
  tools: 'query',
} as const satisfies Readonly<Record<string, Permission>>;

export type TokenUse = keyof typeof TOKEN_USES;

/** Uses of a token that names none. All others are opt-in. */
export const DEFAULT_USES = ['read', 'query'] as const satisfies readonly TokenUse[];

export const TOKEN_USE_NAMES = Object.keys(TOKEN_USES) as readonly TokenUse[];

export function isTokenUse(value: unknown): value is TokenUse {
  return TOKEN_USE_NAMES.some((use) => use === value);
}

/**
 * The one purpose of a token. Whatever else a request asks for is refused by name: routes by the guard, persons, groups and
 * folders by `access/acting-for.ts`, models by `models/llm/model-allowance.ts`, prompts, functions and formats by
 * `answering/purpose.ts`.
 */
export interface TokenPolicy {
  readonly uses: ReadonlySet<TokenUse>;
  /** Models besides the configured one. */
  readonly models: readonly string[];
  /** Tokens of the largest answer; null: as for the key. */
  readonly maxAnswerTokens: number | null;
  /** null: only the limit of requests counts. */
  readonly questionsPerMinute: number | null;
  /** Whether the key of the token, and the one that made it, have the permission `write`, and may therefore use every model. */
  readonly ownerWrites: boolean;
}

/** The permissions that some uses need. */
export function permissionsFor(uses: Iterable<TokenUse>): Permission[] {
  return [...new Set([...uses].map((use) => TOKEN_USES[use]))];
}
