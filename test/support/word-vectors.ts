import { LOCAL_MODELS } from '../../src/config/local-models.js';
import { LocalTextModel } from '../../src/models/embedding/local/local-text-model.js';
import { contentTerms } from '../../src/lexical/analyse.js';

const DIMENSIONS = 512;

/** Replaces the bundled model: texts are similar if they share words. */
export class WordVectors extends LocalTextModel {
  constructor() {
    super(LOCAL_MODELS.local);
  }

  override embed(texts: readonly string[]): Promise<Float32Array[]> {
    return Promise.resolve(texts.map(vectorOf));
  }
}

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const term of new Set(contentTerms(text))) {
    let at = 0;
    for (const character of term) at = (at * 31 + (character.codePointAt(0) ?? 0)) % DIMENSIONS;
    vector[at] = 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((x) => x / length);
}
