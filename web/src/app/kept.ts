import { useState, type Dispatch, type StateUpdater } from 'preact/hooks';
import { useSession } from './session.js';

/** State that survives leaving the view and reloading the page. */
export function useKept<T>(name: string, initial: T): readonly [T, Dispatch<StateUpdater<T>>] {
  const { kept } = useSession();
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  kept.set(name, value);
  return [value, setValue];
}

type Kept = Map<string, unknown>;

const STORED = 'lectern.kept';
/** Identifies this build; other builds may store other values under the same names. */
const BUILD = import.meta.url;
/**
 * Maximum length of a stored value, in characters of JSON. Session storage holds about five million. Query images are
 * longer, so they are not stored.
 */
const LONGEST = 500_000;

/**
 * Saves the kept state in session storage when the page is left: texts, forms and answers, but no files or long values.
 *
 * @param owner the key to which the state belongs
 */
export function storeKept(kept: Kept, owner: string | null): void {
  const values = [...kept].filter(([, value]) => isPlain(value) && JSON.stringify([value]).length <= LONGEST);
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ build: BUILD, owner, values }));
  } catch {
    forgetKept(); // session storage is full: the next page starts empty, like a new tab
  }
}

interface Stored {
  readonly build: string;
  readonly owner: string | null;
  readonly values: readonly [string, unknown][];
}

/** Returns the state that the previous page saved. Returns no state if that page had another build or key. */
export function storedKept(owner: string | null): Kept {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return new Map();
  const { build, owner: before, values } = JSON.parse(text) as Stored;
  return new Map(build === BUILD && before === owner ? values : []);
}

export function forgetKept(): void {
  sessionStorage.removeItem(STORED);
}

/** Whether JSON can represent the value completely. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every(isPlain);
}
