import { IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChildren, JSX } from 'preact';
import { directionOf, FILES, type Language } from './languages.js';
import type { Key, Tag, Values, Words } from './words.js';

interface Spoken {
  readonly language: Language;
  /** Language tag for dates and numbers. */
  readonly locale: string;
  readonly words: Words;
  readonly messages: Map<Key, IntlMessageFormat>;
}

let spoken: Spoken | null = null;

/** Loads the texts of a language, which all later calls return. @throws TypeError if the file cannot be loaded */
export async function speak(language: Language, locale: string = language): Promise<void> {
  const { words } = await FILES[language]();
  spoken = { language, locale, words, messages: new Map() };
}

function now(): Spoken {
  if (spoken === null) throw new Error('no language is loaded');
  return spoken;
}

export function language(): Language {
  return now().language;
}

/** Language tag for `Intl`. */
export function locale(): string {
  return now().locale;
}

type Given<K extends Key> = [keyof Values<K>] extends [never] ? [] : [values: Values<K>];

/** Returns a text in the language of the page. */
export function t<K extends Key>(key: K, ...[values]: Given<K>): string {
  return String(messageOf(key).format(isolated(values ?? {})));
}

type Rich<K extends Key> = {
  readonly [Name in keyof Values<K>]: Values<K>[Name] | JSX.Element;
} & Readonly<Record<Tag<K>, (parts: ComponentChildren) => JSX.Element>>;

/** Returns a text with elements: a function for each tag, and values that may be elements. */
export function rich<K extends Key>(key: K, values: Rich<K>): ComponentChildren {
  return messageOf(key).format(isolated(values)) as ComponentChildren;
}

function messageOf(key: Key): IntlMessageFormat {
  const { words, locale: tag, messages } = now();
  const known = messages.get(key);
  if (known !== undefined) return known;
  const made = new IntlMessageFormat(words[key], tag);
  messages.set(key, made);
  return made;
}

/** U+2068 and U+2069: what is between them has a direction of its own. */
const ISOLATE = ['\u2068', '\u2069'] as const;

/** Gives a name in a text from right to left a direction of its own. */
export function isolate(name: string): string {
  return directionOf(now().language) === 'ltr' ? name : `${ISOLATE[0]}${name}${ISOLATE[1]}`;
}

/** Names in a text keep their own direction. Elements in it set theirs. */
function isolated(values: Readonly<Record<string, unknown>>): Record<string, never> {
  const shown = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? isolate(value) : value]),
  );
  return shown as Record<string, never>; // the type of `format`, whose values are checked by those of `t` and `rich`
}
