import { useKept } from '../app/kept.js';

/** The id of the next new chat, and a function that replaces it with another id. */
export function useNextChat(): readonly [next: string, renew: () => void] {
  const [next, setNext] = useKept('ask.next', newId());
  return [
    next,
    () => {
      setNext(newId());
    },
  ];
}

/** Random id of a chat. Browsers do not offer `crypto.randomUUID` on pages without TLS. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
