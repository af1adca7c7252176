import { useEffect } from 'preact/hooks';
import { language } from '../language/translate.js';

/** Gives the browser's tab a title. null: it keeps the title of the view. */
export function usePageTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Lectern`;
  }, [title, language()]);
}
