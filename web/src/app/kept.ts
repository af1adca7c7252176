import { useState, type Dispatch, type StateUpdater } from 'preact/hooks';
import { useSession } from './session.js';

/** State that a view finds again when somebody comes back to it. */
export function useKept<T>(name: string, initial: T): readonly [T, Dispatch<StateUpdater<T>>] {
  const { kept } = useSession();
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial));
  kept.set(name, value);
  return [value, setValue];
}
