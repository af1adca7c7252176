import { useState } from 'preact/hooks';

type Theme = 'light' | 'dark';

const STORED = 'lectern.theme';

function stored(): Theme | null {
  const value = localStorage.getItem(STORED);
  return value === 'light' || value === 'dark' ? value : null;
}

/** Applies the user's earlier choice, otherwise the system's theme. */
export function applyTheme(): void {
  const theme = stored();
  if (theme === null) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function useTheme(): readonly [dark: boolean, toggle: () => void] {
  const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const [theme, setTheme] = useState<Theme>(stored() ?? ofSystem);
  const toggle = (): void => {
    const next = theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem(STORED, next);
    applyTheme();
    setTheme(next);
  };
  return [theme === 'dark', toggle];
}
