import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { validate as isUuid } from 'uuid';
import { WrongKey, type KeyReference } from './api-key.js';
import { ExpiredToken } from './expired-token.js';
import type { DocumentBound } from './scope.js';
import { isTokenUse, type TokenPolicy, type TokenUse } from './token-policy.js';

/**
 * A short-lived token for a browser. The token acts for a key, is for one purpose, and stops working when the key does.
 */
export interface BrowserToken {
  readonly id: string;
  readonly key: KeyReference;
  readonly uses: readonly TokenUse[];
  readonly endUserId: string | null;
  /** Groups of the token instead of those of the person; null: those of the person. */
  readonly groups: readonly string[] | null;
  readonly bound: DocumentBound;
  readonly limits: TokenLimits;
  /** Id of the administrator's key that made the token for another key. Ending it ends the token. */
  readonly makerId: string | null;
}

/** What a token may ask of language models. */
export type TokenLimits = Pick<TokenPolicy, 'models' | 'maxAnswerTokens' | 'questionsPerMinute'>;

/** Purpose for which `SigningSecret.derive` derives the signing key of tokens. */
export const TOKEN_PURPOSE = 'browser-token';

const TYPE = 'lectern-browser+jwt';
const ALGORITHM = 'HS256';

/**
 * Signs a token.
 *
 * @param secret the secret derived for tokens. It differs from the secret of API keys, so that code that reads API keys
 * rejects tokens.
 */
export async function signBrowserToken(
  { id, key, uses, endUserId, groups, bound, limits, makerId }: BrowserToken,
  expiresAt: Date,
  secret: Uint8Array,
): Promise<string> {
  const { folder, filter } = bound;
  const { models, maxAnswerTokens, questionsPerMinute } = limits;
  const optional = Object.entries({
    groups,
    models: models.length === 0 ? null : models,
    max_answer_tokens: maxAnswerTokens,
    questions_per_minute: questionsPerMinute,
    made_by: makerId,
  }).filter(([, value]) => value !== null);
  return new SignJWT({
    token_id: id,
    app_id: key.appId,
    scopes: uses,
    end_user_id: endUserId,
    folder,
    filter,
    ...Object.fromEntries(optional),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setJti(key.id)
    .setIssuedAt()
    .setExpirationTime(expiresAt)
    .sign(secret);
}

/** Tells whether a text has the form of a browser token instead of an API key. Does not verify the signature. */
export function looksLikeBrowserToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === TYPE;
  } catch {
    return false; // not a JWT
  }
}

/** Verifies and reads a token. @throws WrongKey for a forged token, ExpiredToken. */
export async function readBrowserToken(token: string, secret: Uint8Array): Promise<BrowserToken> {
  const claims = await verified(token, secret);
  const { app_id: appId, jti: id, scopes, made_by: makerId } = claims;
  const isMade = makerId === undefined || isUuid(makerId);
  if (typeof appId !== 'string' || !isUuid(id) || !Array.isArray(scopes) || !isMade) {
    throw new WrongKey('The token is malformed');
  }
  return {
    id: textOr(claims['token_id']) ?? '',
    key: { appId, id: String(id) },
    uses: scopes.filter(isTokenUse),
    endUserId: textOr(claims['end_user_id']),
    groups: textsOr(claims['groups']),
    bound: { folder: textOr(claims['folder']), filter: textOr(claims['filter']) },
    limits: {
      models: textsOr(claims['models']) ?? [],
      maxAnswerTokens: numberOr(claims['max_answer_tokens']),
      questionsPerMinute: numberOr(claims['questions_per_minute']),
    },
    makerId: textOr(makerId),
  };
}

function textOr(claim: unknown): string | null {
  return typeof claim === 'string' ? claim : null;
}

function textsOr(claim: unknown): readonly string[] | null {
  return Array.isArray(claim) ? claim.filter((one) => typeof one === 'string') : null;
}

function numberOr(claim: unknown): number | null {
  return typeof claim === 'number' ? claim : null;
}

async function verified(token: string, secret: Uint8Array) {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      requiredClaims: ['exp', 'jti', 'app_id'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new ExpiredToken('The token has expired');
    if (error instanceof errors.JOSEError) throw new WrongKey('The token is not valid');
    throw error;
  }
}
