import { directionOf, isLanguage, languageFor, type Language } from './languages.js';
import { speak } from './translate.js';

const STORED = 'lectern.language';

/** The earlier choice of the person in this browser; null: the browser's languages decide. */
function stored(): Language | null {
  const name = localStorage.getItem(STORED) ?? '';
  return isLanguage(name) ? name : null;
}

/** Draws the page again, with its state. */
let redraw = (): void => undefined;

/** Loads the language of the reader, and draws the page; again whenever another language is chosen. */
export async function drawInLanguage(draw: () => void): Promise<void> {
  await load(stored());
  redraw = draw;
  draw();
}

/** @throws TypeError if the language cannot be loaded: the page keeps the one before */
export async function chooseLanguage(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(STORED, language);
  redraw();
}

async function load(chosen: Language | null): Promise<void> {
  const { language, locale } = languageFor(chosen, navigator.languages);
  await speak(language, locale);
  const { documentElement: root } = document;
  root.lang = language === 'zh' ? 'zh-Hans' : language;
  root.dir = directionOf(language);
}
