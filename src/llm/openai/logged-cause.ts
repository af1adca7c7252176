import type { ModelSettings } from '../model-settings.js';

const LONGEST_WORDS = 300;
/** A shorter secret cannot be told from ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * What a log may hold of a failed call. A provider's words may repeat the key it was called with: they are left out
 * when the key came with a request, and otherwise shortened, with the key taken out.
 */
export function loggedCause(
  error: unknown,
  { apiKey, logsProviderWords }: Pick<ModelSettings, 'apiKey' | 'logsProviderWords'>,
): Error {
  const chain = causesOf(error);
  const kinds = chain.map(kindOf).join(' < ');
  const isSafe = logsProviderWords && (apiKey === null || apiKey.length >= SHORTEST_SECRET);
  const words = chain.map(({ message }) => message).join(' < ');
  return new Error(isSafe ? `${kinds}: ${without(apiKey, words).slice(0, LONGEST_WORDS)}` : kinds);
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 5; cause = cause.cause) chain.push(cause);
  return chain;
}

/** Class and system code (`ECONNREFUSED`); codes that a provider chose are its words. */
function kindOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const isSystemCode = typeof code === 'string' && 'errno' in error;
  return isSystemCode ? `${error.constructor.name} ${code}` : error.constructor.name;
}

function without(secret: string | null, words: string): string {
  return secret === null ? words : words.replaceAll(secret, '[key]');
}
