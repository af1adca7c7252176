import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';

/** How long the button says that it worked. */
const SAID_MS = 2_000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => {
      setSaid(null);
    }, SAID_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      setSaid('Select it and copy'); // no clipboard on pages without TLS
    }
  };
  return (
    <button type="button" class="small-button" aria-label={said ?? label} onClick={() => void copy()}>
      {said ?? 'Copy'}
    </button>
  );
}
