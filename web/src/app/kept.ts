import { useState, type Dispatch, type StateUpdater } from 'preact/hooks';
import { useSession } from './session.js';

/** State that a view finds again when somebody comes back to it, or loads the page again. */
export function useKept<T>(name: string, initial: T): readonly [T, Dispatch<StateUpdater<T>>] {
  const { kept } = useSession();
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  kept.set(name, value);
  return [value, setValue];
}

type Kept = Map<string, unknown>;

const STORED = 'lectern.kept';
/** The name of this build: another one may keep other things by the same names. */
const BUILD = import.meta.url;
/** In characters of JSON; a tab may store some five million. An image as a question is longer. */
const LONGEST = 500_000;

/**
 * Stores what is kept with the tab, as the page goes: texts, forms and answers, but neither files nor long values.
 * @param owner the key that it was seen with
 */
export function storeKept(kept: Kept, owner: string | null): void {
  const values = [...kept].filter(([, value]) => isPlain(value) && JSON.stringify([value]).length <= LONGEST);
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ build: BUILD, owner, values }));
  } catch {
    forgetKept(); // there is no room: the next page begins with nothing, as a new tab does
  }
}

interface Stored {
  readonly build: string;
  readonly owner: string | null;
  readonly values: readonly [string, unknown][];
}

/** What the page before stored, if it was of this build and seen with the same key. */
export function storedKept(owner: string | null): Kept {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return new Map();
  const { build, owner: before, values } = JSON.parse(text) as Stored;
  return new Map(build === BUILD && before === owner ? values : []);
}

export function forgetKept(): void {
  sessionStorage.removeItem(STORED);
}

/** Whether JSON holds all of it. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlain);
}
