import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { t } from '../language/translate.js';

const CONFIRMATION_MS = 2_000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => {
      setSaid(null);
    }, CONFIRMATION_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(t('copy.copied'));
    } catch {
      setSaid(t('copy.byHand')); // pages without TLS have no clipboard
    }
  };
  return (
    <button type="button" class="small-button" aria-label={said ?? label} onClick={() => void copy()}>
      {said ?? t('copy.copy')}
    </button>
  );
}
