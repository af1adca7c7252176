import { LecternError } from '../api/lectern.js';

const reached = new EventTarget();

/** Tells that the service has answered a request. */
export function tellReached(): void {
  reached.dispatchEvent(new Event('reached'));
}

/** @returns a function that ends it */
export function onReached(listener: () => void): () => void {
  reached.addEventListener('reached', listener);
  return () => {
    reached.removeEventListener('reached', listener);
  };
}

/** Whether a request failed because the service, or a part that it needs, was down. */
export function isOutage(error: unknown): boolean {
  return error instanceof LecternError && (error.status === 0 || error.status === 503);
}
