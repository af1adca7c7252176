import { useKept } from '../app/kept.js';

/** The id of the next new chat, and a function that chooses another one. */
export function useNextChat(): readonly [next: string, renew: () => void] {
  const [next, setNext] = useKept('ask.next', newId());
  return [
    next,
    () => {
      setNext(newId());
    },
  ];
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
