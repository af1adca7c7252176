import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../design/copy-button.js';
import type { ColouredPart } from './colours.js';
import { t } from '../language/translate.js';

interface CodeProps {
  /** Language of the fence; empty: not given. */
  readonly language: string;
  /** null: the code contains citations, and is not coloured. */
  readonly text: string | null;
  readonly children: ComponentChildren;
}

/** Code with a copy button. The colours are loaded when the first code with a language appears. */
export function Code({ language, text, children }: CodeProps): JSX.Element {
  const [parts, setParts] = useState<readonly ColouredPart[] | null>(null);
  useEffect(() => {
    setParts(null);
    if (language === '' || text === null) return;
    let isShown = true;
    void import('./colours.js').then(({ colouredParts }) => {
      if (isShown) setParts(colouredParts(language, text));
    });
    return () => {
      isShown = false;
    };
  }, [language, text]);
  return (
    <div class="code-block" dir="ltr">
      {text !== null && <CopyButton text={text} label={t('ask.copyCode')} />}
      <pre tabIndex={0} role="group" aria-label={t('ask.code')}>
        <code>
          {parts === null
            ? children
            : parts.map(({ text: part, kind }, index) =>
                kind === '' ? (
                  part
                ) : (
                  <span key={index} class={kind}>
                    {part}
                  </span>
                ),
              )}
        </code>
      </pre>
    </div>
  );
}
