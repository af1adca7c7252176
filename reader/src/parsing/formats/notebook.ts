import { stripVTControlCharacters } from 'node:util';
import { outlineOf } from '../../splitting/outline.js';
import { htmlToMarkdown } from '../html/html-to-markdown.js';
import type { Parser } from '../parser.js';
import { parseJson } from './json.js';

type Fields = Readonly<Record<string, unknown>>;

/** A Jupyter notebook (nbformat 3 and 4): text, code and outputs. Other JSON is read as JSON. */
export const parseNotebook: Parser = (source) => {
  const notebook = notebookOf(source.text ?? '');
  if (notebook === undefined) return parseJson({ ...source, contentType: 'application/json' });
  const { cells, language } = notebook;
  const text = cells
    .flatMap((cell) => blocksOf(cell, language))
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .join('\n\n');
  return {
    text,
    textType: 'text/markdown',
    properties: {
      title: outlineOf(text).headings.find(({ level }) => level === 1)?.text,
      programming_language: language,
    },
  };
};

interface Notebook {
  readonly cells: readonly Fields[];
  readonly language: string;
}

function notebookOf(source: string): Notebook | undefined {
  const content = jsonOf(source);
  if (!isFields(content) || typeof content['nbformat'] !== 'number') return undefined;
  const sheets = Array.isArray(content['worksheets']) ? content['worksheets'].filter(isFields) : [content];
  const lists = sheets.map(({ cells }) => cells);
  if (!lists.every(Array.isArray)) return undefined;
  const metadata = fieldsOf(content['metadata']);
  const { language } = fieldsOf(metadata['kernelspec']);
  const { name } = fieldsOf(metadata['language_info']);
  return { cells: lists.flat().filter(isFields), language: [name, language].find(isText) ?? '' };
}

function jsonOf(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined; // the JSON parser reports the location
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Text is one string, or a list with one string per line. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter(isText).join('');
  return isText(value) ? value : '';
}

function blocksOf(cell: Fields, language: string): string[] {
  const text = textOf(cell['source'] ?? cell['input']);
  switch (cell['cell_type']) {
    case 'code': {
      const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isFields) : [];
      const own = isText(cell['language']) ? cell['language'] : language;
      return [fenced(text, own), ...outputs.map(outputText)];
    }
    case 'heading':
      return [`${'#'.repeat(Math.min(6, Math.max(1, Number(cell['level']) || 1)))} ${text}`];
    case 'html':
      return [htmlToMarkdown(text).markdown];
    default:
      return [text];
  }
}

function outputText(output: Fields): string {
  switch (output['output_type']) {
    case 'stream':
      return fenced(printed(textOf(output['text'])), '');
    case 'error':
    case 'pyerr': {
      const lines = Array.isArray(output['traceback']) ? output['traceback'].filter(isText) : [];
      const message = `${textOf(output['ename'])}: ${textOf(output['evalue'])}`;
      return fenced(printed(lines.length === 0 ? message : lines.join('\n')), '');
    }
    default:
      return richestText(isFields(output['data']) ? output['data'] : output);
  }
}

/** Text placeholder of a picture: `<Figure size 640x480 with 1 Axes>`. */
const PLACEHOLDER = /^<[^<>\n]{1,200}>$/;

/** The richest textual form of an output. Version 3 uses short names: `html`. */
function richestText(forms: Fields): string {
  const form = (name: string): string =>
    textOf(forms[`text/${name}`] ?? forms[name === 'plain' ? 'text' : name]);
  const markdown = form('markdown') || htmlToMarkdown(form('html')).markdown || form('latex');
  if (markdown.trim() !== '') return markdown;
  const plain = printed(form('plain')).trim();
  const hasPicture = Object.keys(forms).some((name) => /^(?:image\/|png$|jpeg$|svg$)/.test(name));
  return hasPicture && PLACEHOLDER.test(plain) ? '' : fenced(plain, '');
}

/** Terminal output without colours, and with overwritten lines in their last state. */
function printed(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
}

/** Puts text into a code fence that is longer than any fence inside the text. */
function fenced(text: string, language: string): string {
  const content = text.replace(/^\n+/, '').trimEnd();
  if (content === '') return '';
  let longest = 2;
  for (const [{ length }] of content.matchAll(/^`{3,}/gm)) longest = Math.max(longest, length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}
