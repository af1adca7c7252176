import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { ChunkRepository } from '../../chunks/chunk.repository.js';
import { analyseQuery, contentTerms } from '../../lexical/analyse.js';
import type { PromptOverrides } from '../prompt/prompt-overrides.js';
import { resolved, sameName, type Entity, type EntityGroup, type ExtractedEntity } from './entity.js';
import { namedSpans } from './spans.js';

/** Of the tenant's chunks at most this share has a term that says what a question is about. */
const TELLING_SHARE = 0.2;
/** In a corpus this small shares say nothing. */
const SMALL_CORPUS = 10;
const MAX_TERMS = 5;

/** Entity extraction and resolution without a model: names in the question, the examples given, terms of the documents. */
@Injectable()
export class EmbeddedEntities {
  constructor(private readonly chunks: ChunkRepository) {}

  async recognise(
    scope: Scope,
    question: string,
    { entityExtraction, entityResolution }: PromptOverrides,
  ): Promise<readonly Entity[]> {
    const examples = entityExtraction?.examples ?? [];
    const groups = entityResolution?.examples ?? [];
    const labels = [
      ...examples.map(({ label }) => label).filter((label) => mentions(question, label)),
      ...groups.flatMap((group) => mentionedName(question, group)),
      ...namedSpans(question),
    ];
    const named = [...new Set(labels)].map((label): ExtractedEntity => {
      const example = examples.find((one) => sameName(one.label, label));
      return { label, type: example?.type ?? 'ENTITY', properties: example?.properties ?? {} };
    });
    const terms = await this.knownTerms(scope, question, named);
    return resolved([...named, ...terms], groups);
  }

  /** Words of the question that few of the tenant's chunks have, and that no name covers. */
  private async knownTerms(
    scope: Scope,
    question: string,
    named: readonly ExtractedEntity[],
  ): Promise<ExtractedEntity[]> {
    const covered = new Set(named.flatMap(({ label }) => contentTerms(label)));
    const words = [...new Set(question.match(/[\p{L}\p{N}][\p{L}\p{N}'-]+/gu) ?? [])].filter((word) => {
      const terms = contentTerms(word);
      return terms.length > 0 && !terms.some((term) => covered.has(term));
    });
    const analysed = words.map((word) => ({ word, term: analyseQuery(word)[0] ?? '' }));
    const { corpus, terms } = await this.chunks.statistics(
      scope,
      analysed.map(({ term }) => term),
    );
    const most = Math.max(
      corpus.chunkCount * TELLING_SHARE,
      corpus.chunkCount <= SMALL_CORPUS ? corpus.chunkCount : 1,
    );
    return analysed
      .map(({ word }, index) => ({ word, chunkCount: terms[index]?.chunkCount ?? 0 }))
      .filter(({ chunkCount }) => chunkCount > 0 && chunkCount <= most)
      .sort((a, b) => a.chunkCount - b.chunkCount)
      .slice(0, MAX_TERMS)
      .map(({ word }) => ({ label: word, type: 'TERM', properties: {} }));
  }
}

function mentions(question: string, name: string): boolean {
  const bare = (text: string): string =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()} `;
  return bare(name).trim() !== '' && (bare(question).includes(bare(name)) || isUnspaced(name, question));
}

/** In scripts without spaces a name stands inside a run of characters. */
function isUnspaced(name: string, question: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(name) && question.includes(name);
}

function mentionedName(question: string, { canonical, variants }: EntityGroup): string[] {
  return [canonical, ...variants].filter((name) => mentions(question, name)).slice(0, 1);
}
