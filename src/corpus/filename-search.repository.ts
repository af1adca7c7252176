import { Injectable } from '@nestjs/common';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { run } from '../database/run.js';
import { composed } from '../json/spelling.js';
import { caseFoldingOf, caseVariants } from '../filters/case-folding.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { translatePattern } from '../filters/regex/pattern.js';
import { DOCUMENT_COLUMNS, type DocumentRow } from './document-row.js';

@Injectable()
export class FilenameSearchRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the documents whose file name contains the text or all of its words. The order is: names that equal the
   * text, with or without their extension; names that begin with the text; names that contain the text as whole words;
   * names that contain the text as a substring; names that contain its words in any order. Ties are ordered by name
   * length, then by the last change.
   */
  search(scope: Scope, selection: DocumentSelection, text: string, limit: number): Promise<DocumentRow[]> {
    return run(this.dataSource, filenameSearchStatement(scope, selection, text, limit));
  }
}

/**
 * Filters in three steps. First, LIKE patterns, which use the trigram index but may let false positives through.
 * Second, substring checks on the case-folded name. Third, word matching.
 */
export function filenameSearchStatement(
  scope: Scope,
  selection: DocumentSelection,
  text: string,
  limit: number,
): Sql {
  const { folded, variants, replacements, words, parts } = nameQueryOf(text);
  const likely = parts.map(({ pattern }) => sql`lower(d.filename collate "C") like ${pattern}::text`);
  const somewhere = parts.map((part) => sql`strpos(n.name, ${part.text}::text) > 0`);
  const contains = sql`strpos(n.name, ${folded}::text) > 0`;
  const asWords = words.map((word) => sql`strpos(w.words, ${` ${word} `}::text) > 0`);
  return sql`
select ${DOCUMENT_COLUMNS} from documents d
cross join lateral (
  select translate(lower(d.filename collate "C"), ${variants}::text, ${replacements}::text) as name offset 0
) n
cross join lateral (
  select ' ' || regexp_replace(n.name, ${WORD_SEPARATORS}::text, ' ', 'g') || ' ' as words offset 0
) w
where ${documentPredicate(scope, selection)}
  and ${join(likely, ' and ')}
  and ${join(somewhere, ' and ')}
  and (${contains}${asWords.length === 0 ? empty : sql` or (${join(asWords, ' and ')})`})
order by
  case
    when n.name = ${folded}::text then 0
    when regexp_replace(n.name, '[.][^.]*$', '') = ${folded}::text then 1
    when starts_with(n.name, ${folded}::text) then 2
    when strpos(w.words, ${` ${words.join(' ')} `}::text) > 0 then 3
    when ${contains} then 4
    else 5
  end,
  length(d.filename), d.updated_at desc, d.external_id
limit ${limit}`;
}

/** A search text in the forms that the statement needs. */
interface NameQuery {
  /** The case-folded text; see {@link caseFoldingOf} for the variants and their replacements. */
  readonly folded: string;
  readonly variants: string;
  readonly replacements: string;
  /** Case-folded runs of letters, marks and digits. */
  readonly words: readonly string[];
  /** Substrings that every match contains: the words of the text, or the whole text if it has no words. */
  readonly parts: readonly NamePart[];
}

interface NamePart {
  readonly text: string;
  /** LIKE pattern that matches every lower-cased name with the substring. */
  readonly pattern: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** PostgreSQL regular expression for word separators. */
export const WORD_SEPARATORS = translated('[^\\pL\\pM\\pN]+');

function nameQueryOf(text: string): NameQuery {
  const { folded, variants, replacements } = caseFoldingOf(composed(text));
  const words = folded.match(WORD) ?? [];
  const parts = words.length === 0 ? [folded] : words;
  return {
    folded,
    variants,
    replacements,
    words,
    parts: parts.map((part) => ({ text: part, pattern: likelyPattern(part) })),
  };
}

/** Replaces characters that have a non-ASCII case variant with the wildcard `_`. */
function likelyPattern(folded: string): string {
  const characters = Array.from(folded, (character) => {
    if (caseVariants(character).some((variant) => variant > '\x7f' && variant !== character)) return '_';
    return /[%_\\]/.test(character) ? `\\${character}` : character;
  });
  return `%${characters.join('')}%`;
}

function translated(pattern: string): string {
  const translation = translatePattern(pattern, '');
  if ('are' in translation) return translation.are;
  throw new Error(translation.defect);
}
