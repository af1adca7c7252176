import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../language/translate.js';

interface FormulaProps {
  readonly tex: string;
  readonly isBlock: boolean;
}

/**
 * A formula, drawn by KaTeX, which is loaded with its fonts when the first formula appears. Until then, and if KaTeX
 * cannot read the formula, its TeX is shown.
 */
export function Formula({ tex, isBlock }: FormulaProps): JSX.Element {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let isShown = true;
    const draw = async (): Promise<void> => {
      const { default: katex } = await import('./katex.js');
      if (!isShown || place.current === null) return;
      try {
        // The nodes are made by scripts: a policy without inline styles allows their styles.
        katex.render(tex, place.current, { displayMode: isBlock });
      } catch (error) {
        if (!(error instanceof katex.ParseError)) throw error;
        place.current.textContent = tex;
      }
    };
    void draw();
    return () => {
      isShown = false;
    };
  }, [tex, isBlock]);
  return (
    <span
      ref={place}
      class={isBlock ? 'formula block' : 'formula'}
      dir="ltr"
      {...(isBlock ? { tabIndex: 0, role: 'group', 'aria-label': t('ask.formula') } : {})}
    >
      {tex}
    </span>
  );
}
