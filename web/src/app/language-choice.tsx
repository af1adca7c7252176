import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Icon } from '../design/icon.js';
import { chooseLanguage } from '../language/chosen.js';
import { isLanguage, LANGUAGES } from '../language/languages.js';
import { language, t } from '../language/translate.js';

/** The language of the page, each by its name in itself: whoever cannot read the page finds their own. */
export function LanguageChoice(): JSX.Element {
  const [hasFailed, setFailed] = useState(false);
  const choose = async (name: string): Promise<void> => {
    if (!isLanguage(name)) return;
    try {
      await chooseLanguage(name);
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  return (
    <>
      <label class="language quiet" title={t('app.language')}>
        <Icon name="language" />
        <span class="visually-hidden">{t('app.language')}</span>
        <select value={language()} onChange={(event) => void choose(event.currentTarget.value)}>
          {Object.entries(LANGUAGES).map(([name, text]) => (
            <option key={name} value={name} lang={name}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {hasFailed && (
        <p class="small problem-text" role="alert">
          {t('app.languageFailed')}
        </p>
      )}
    </>
  );
}
