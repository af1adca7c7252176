import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { B, countingTerms, K1, queryTerm } from '../dist/chunks/bm25.js';
import { HYBRID } from '../dist/chunks/fusion.js';
import { analyseDocument, analyseQuery } from '../dist/lexical/analyse.js';
import { parse } from '../dist/parsing/parse.js';
import { ContextFinder, retitled } from '../dist/splitting/context.js';
import { outlineOf } from '../dist/splitting/outline.js';
import { piecesOf } from '../dist/splitting/split.js';
import { createTokenCounter } from '../dist/splitting/token-counter.js';

/** The bundled model's defaults: see src/config/combinations.ts. */
const CONTEXT = 40;
const SIZE = 254 - CONTEXT;
const OVERLAP = 54;

/**
 * Chunks of files as the service makes them, with the parts of a context apart.
 * @param titles what to call a document, by name: functions of its file name and its parsed content
 * @returns for each chunk its text, its page as "file/page", and `context(parts)`: parts are `title` (one of the names),
 *   `headings`, `table`
 */
export async function readChunks({ folder, files }, titles) {
  const counter = await createTokenCounter('word-piece');
  const budget = { counter, tokens: CONTEXT };
  const chunks = [];
  for (const name of files) {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const document = await parse(bytes, { filename: name }, { onProgress: () => undefined });
    const { text, textType: contentType, pages } = document;
    const finder = new ContextFinder(text, outlineOf(text, contentType), null, budget);
    const called = Object.fromEntries(
      Object.entries(titles).map(([key, titleOf]) => [key, titleOf(name, document)]),
    );
    for (const piece of piecesOf(text, { counter, size: SIZE, overlap: OVERLAP, pages, contentType })) {
      const content = text.slice(piece.start, piece.end);
      const lines = finder.contextOf(piece).split('\n');
      const context = ({ title = null, headings = false, table = false }) => {
        const kept = lines.filter((line) => (line.startsWith('|') ? table : headings)).join('\n');
        return retitled({ content, context: kept }, title === null ? null : called[title], budget);
      };
      chunks.push({ content, page: `${name}/${piece.pageNumber}`, context });
    }
  }
  return chunks;
}

/** BM25 of a query over some texts, as the service computes it, divided by its bound. */
export function wordScores(texts) {
  const documents = texts.map(analyseDocument);
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const holding = new Map();
  for (const { terms } of documents) {
    for (const term of terms.keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
  }
  return (query) => {
    const terms = countingTerms(
      analyseQuery(query).map((term) => queryTerm(term, holding.get(term) ?? 0, documents.length)),
    );
    const bound = terms.reduce((sum, { idf }) => sum + idf, 0);
    return documents.map(({ terms: own, length }) => {
      const norm = K1 * (1 - B + (B * length) / mean);
      return terms.reduce((sum, { term, idf }) => sum + (idf * share(own.get(term) ?? 0, norm)) / bound, 0);
    });
  };
}

function share(frequency, norm) {
  return frequency / (frequency + norm);
}

/** Every chunk scored as the service does, best first. @returns indexes of chunks */
export function fused(vector, vectors, words, { dense, lexical } = HYBRID) {
  const scores = vectors.map((other, index) => {
    const cosine = other.reduce((sum, value, at) => sum + value * vector[at], 0);
    return (dense * (1 + cosine)) / 2 + lexical * words[index];
  });
  return scores.map((_, index) => index).sort((a, b) => scores[b] - scores[a]);
}
