import type { Words } from './words.js';

/** The languages of the page, each with its name in itself. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  zh: '简体中文',
  ja: '日本語',
  ar: 'العربية',
} as const;
export type Language = keyof typeof LANGUAGES;

/** The file of each language, loaded when the language is chosen. */
export const FILES: Readonly<Record<Language, () => Promise<{ readonly words: Words }>>> = {
  en: () => import('./en.js'),
  de: () => import('./de.js'),
  fr: () => import('./fr.js'),
  es: () => import('./es.js'),
  pt: () => import('./pt.js'),
  zh: () => import('./zh.js'),
  ja: () => import('./ja.js'),
  ar: () => import('./ar.js'),
};

export function isLanguage(name: string): name is Language {
  return name in LANGUAGES;
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/**
 * Which language, and which of its regions for dates and numbers, a person reads.
 * @param chosen their choice; null: they have not chosen
 * @param preferred language tags of the browser, the most wanted first
 */
export function languageFor(
  chosen: Language | null,
  preferred: readonly string[],
): { readonly language: Language; readonly locale: string } {
  const known = preferred.flatMap((tag) => {
    const [name = ''] = tag.toLowerCase().split('-');
    return isLanguage(name) ? [{ language: name, locale: tag }] : [];
  });
  const wanted = chosen === null ? known[0] : known.find(({ language }) => language === chosen);
  const { language, locale } = wanted ?? { language: chosen ?? 'en', locale: chosen ?? 'en' };
  // The digits of file names, fields and the service's sentences.
  return { language, locale: language === 'ar' ? `${locale}-u-nu-latn` : locale };
}
