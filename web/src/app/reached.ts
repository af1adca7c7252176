import { LecternError } from '../api/lectern.js';

const reached = new EventTarget();

/** Tells the listeners that the service has answered a request. */
export function tellReached(): void {
  reached.dispatchEvent(new Event('reached'));
}

/** Calls the listener whenever the service has answered a request. @returns a function that removes the listener */
export function onReached(listener: () => void): () => void {
  reached.addEventListener('reached', listener);
  return () => {
    reached.removeEventListener('reached', listener);
  };
}

/** Whether a request failed because the service, or a component that the service needs, was down. */
export function isOutage(error: unknown): boolean {
  return error instanceof LecternError && (error.status === 0 || error.status === 503);
}
