import { useKept } from '../app/kept.js';
import { newId } from '../app/new-id.js';

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
