import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { LecternError } from '../api/lectern.js';
import type { Key } from '../language/words.js';
import { isOutage, onReached } from './reached.js';
import { useSession } from './session.js';

/** Why somebody is signed out whose key the service rejects. */
export const KEY_REFUSED = 'app.keyRefused' satisfies Key;

export interface Call<Args extends readonly unknown[], T> {
  readonly running: boolean;
  readonly value: T | null;
  readonly error: unknown;
  /** Aborts the running call, if any, and starts a new one. @returns the result, or null if it failed or was aborted */
  readonly run: (...args: Args) => Promise<T | null>;
  readonly stop: () => void;
}

interface State<T> {
  readonly running: boolean;
  readonly value: T | null;
  readonly error: unknown;
}

/**
 * Runs one call of the user at a time. Leaving the view aborts the call. If the service rejects the key, the user is
 * signed out.
 */
export function useCall<Args extends readonly unknown[], T>(
  work: (signal: AbortSignal, ...args: Args) => Promise<T>,
): Call<Args, T> {
  const { signOut } = useSession();
  const [state, setState] = useState<State<T>>({ running: false, value: null, error: null });
  const latest = useRef(work);
  latest.current = work;
  const abort = useRef<AbortController | null>(null);

  const stop = useCallback(() => {
    abort.current?.abort();
    setState((before) => ({ ...before, running: false }));
  }, []);
  const run = useCallback(async (...args: Args): Promise<T | null> => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    setState((before) => ({ ...before, running: true, error: null }));
    try {
      const value = await latest.current(own.signal, ...args);
      if (own.signal.aborted) return null;
      setState({ running: false, value, error: null });
      return value;
    } catch (error) {
      if (own.signal.aborted) return null;
      if (error instanceof LecternError && error.status === 401) signOut(KEY_REFUSED);
      else setState((before) => ({ ...before, running: false, error }));
      return null;
    }
  }, []);
  useEffect(
    () => () => {
      abort.current?.abort();
    },
    [],
  );
  return { ...state, run, stop };
}

/** Loads the data of a view: on mount, whenever `inputs` change, and when the service answers again after an outage. */
export function useLoaded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Omit<Call<[], T>, 'run' | 'stop'> & { readonly reload: () => void } {
  const { run, running, value, error } = useCall(work);
  const reload = useCallback(() => {
    void run();
  }, [run]);
  useEffect(reload, inputs);
  useEffect(() => (isOutage(error) ? onReached(reload) : undefined), [error, reload]);
  return { running, value, error, reload };
}
