import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { ChunkRepository } from '../../chunks/chunk.repository.js';
import { analyseQuery, contentTerms } from '../../lexical/analyse.js';
import type { PromptOverrides } from '../prompt/prompt-overrides.js';
import { resolved, nameKey, type Entity, type ExtractedEntity } from './entity.js';
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
    const mentions = mentionsIn(question);
    const labels = [
      ...examples.map(({ label }) => label).filter(mentions),
      ...groups.flatMap(({ canonical, variants }) => [canonical, ...variants].find(mentions) ?? []),
      ...namedSpans(question),
    ];
    // Of examples with one name the first counts.
    const byName = new Map(examples.toReversed().map((example) => [nameKey(example.label), example]));
    const named = [...new Set(labels)].map((label): ExtractedEntity => {
      const example = byName.get(nameKey(label));
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

/** Whether the question has a name as whole words, whatever its case. */
function mentionsIn(question: string): (name: string) => boolean {
  const asked = bare(question);
  return (name) => bare(name) !== '  ' && (asked.includes(bare(name)) || isUnspaced(name, question));
}

/** The words of a text in lower case, one space before and after each. */
function bare(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
}

/** In scripts without spaces a name stands inside a run of characters. */
function isUnspaced(name: string, question: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(name) && question.includes(name);
}
