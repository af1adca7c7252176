import ipaddr from 'ipaddr.js';
import { parseQuotas, type Quotas } from './quotas.js';

/** One environment variable: its parser, its meaning and its value in `.env.example`. */
export interface Setting<T> {
  readonly meaning: string;
  /** Default as written in `.env.example`. undefined: leaving the setting unset has a meaning of its own. */
  readonly fallback: string | undefined;
  /** Parses the raw text. @throws Error whose message is one sentence. It does not contain the value of a secret. */
  readonly parse: (raw: string) => T;
  readonly secret: boolean;
}

export type Optional<T> = T | undefined;

function setting<T>(
  meaning: string,
  fallback: string | undefined,
  parse: (raw: string) => T,
  secret = false,
): Setting<T> {
  return { meaning, fallback, parse, secret };
}

export function text(meaning: string, fallback: string): Setting<string>;
export function text(meaning: string): Setting<Optional<string>>;
export function text(meaning: string, fallback?: string): Setting<Optional<string>> {
  return setting(meaning, fallback, (raw) => raw);
}

export function secret(meaning: string): Setting<Optional<string>> {
  return setting(meaning, undefined, (raw) => raw, true);
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

function parseInteger(raw: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Range): number {
  if (!/^\d{1,15}$/.test(raw) || Number(raw) < min || Number(raw) > max) {
    throw new Error(`expects a whole number from ${min} to ${max}, got "${raw}"`);
  }
  return Number(raw);
}

export function integer(meaning: string, fallback: number, range?: Range): Setting<number>;
export function integer(meaning: string, fallback: undefined, range?: Range): Setting<Optional<number>>;
export function integer(
  meaning: string,
  fallback: number | undefined,
  range: Range = {},
): Setting<Optional<number>> {
  return setting(meaning, fallback?.toString(), (raw) => parseInteger(raw, range));
}

export function decimal(meaning: string, { min, max }: Required<Range>): Setting<Optional<number>> {
  return setting(meaning, undefined, (raw) => {
    if (!/^-?(\d{1,9}(\.\d{1,9})?|\.\d{1,9})$/.test(raw) || Number(raw) < min || Number(raw) > max) {
      throw new Error(`expects a number from ${min} to ${max}, got "${raw}"`);
    }
    return Number(raw);
  });
}

export function flag(meaning: string, fallback: boolean): Setting<boolean> {
  return setting(meaning, String(fallback), (raw) => {
    if (raw !== 'true' && raw !== 'false') throw new Error(`expects true or false, got "${raw}"`);
    return raw === 'true';
  });
}

export function choice<const T extends string>(
  meaning: string,
  values: readonly T[],
  fallback: NoInfer<T>,
): Setting<T>;
export function choice<const T extends string>(
  meaning: string,
  values: readonly T[],
  fallback?: undefined,
): Setting<Optional<T>>;
export function choice<const T extends string>(
  meaning: string,
  values: readonly T[],
  fallback?: T,
): Setting<Optional<T>> {
  return setting<Optional<T>>(meaning, fallback, (raw) => {
    const found = values.find((value) => value === raw);
    if (found === undefined) throw new Error(`expects one of ${values.join(', ')}, got "${raw}"`);
    return found;
  });
}

export function url(
  meaning: string,
  protocols: readonly string[],
  isSecret = false,
): Setting<Optional<string>> {
  return setting(
    meaning,
    undefined,
    (raw) => {
      if (!URL.canParse(raw) || !protocols.includes(new URL(raw).protocol.slice(0, -1))) {
        throw new Error(`expects a URL that starts with ${protocols.map((p) => `${p}://`).join(' or ')}`);
      }
      return raw;
    },
    isSecret,
  );
}

export function list(meaning: string, fallback = ''): Setting<readonly string[]> {
  return setting(meaning, fallback, (raw) =>
    raw
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
}

/** Bounds by name, such as `documents=1000,bytes=2GB`. */
export function quotas(meaning: string, fallback: string): Setting<Quotas> {
  return setting(meaning, fallback, parseQuotas);
}

/** Names that may be used instead of address ranges. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

/** A list of addresses and CIDR ranges (`10.0.0.0/8`). */
export function networks(meaning: string): Setting<readonly string[]> {
  const { parse, ...rest } = list(meaning);
  return {
    ...rest,
    parse: (raw) => {
      const given = parse(raw);
      const wrong = given.find(
        (one) => !NAMED_NETWORKS.includes(one) && !ipaddr.isValid(one) && !ipaddr.isValidCIDR(one),
      );
      if (wrong === undefined) return given;
      throw new Error(
        `expects addresses, ranges such as 10.0.0.0/8, or ${NAMED_NETWORKS.join(', ')}, got "${wrong}"`,
      );
    },
  };
}
