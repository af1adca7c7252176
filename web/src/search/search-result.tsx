import type { JSX } from 'preact';
import type { Chunk, GroupedChunks } from '../api/lectern.js';
import { Nodes } from '../ask/answer-text.js';
import { documentTree } from '../ask/answer-tree.js';
import { useSession } from '../app/session.js';
import { MarkedText } from '../passages/marked-text.js';
import { markedTree } from '../passages/marked-tree.js';
import { joined } from '../passages/marks.js';
import { PageImage } from '../passages/page-image.js';
import { placeHref, placeName, placeOfChunk } from '../passages/place.js';
import { ScoreBar } from './score-bar.js';
import { locale, t } from '../language/translate.js';

type Group = GroupedChunks['groups'][number];

interface SearchResultProps {
  readonly group: Group;
  readonly rank: number;
  readonly question: string;
}

/** A match with its neighbours; for administrators with its score. */
export function SearchResult({ group, rank, question }: SearchResultProps): JSX.Element {
  const { main_chunk: main, padding_chunks: padding } = group;
  const { holder } = useSession();
  const { isImage } = placeOfChunk(main);
  const strip = [...padding, main].sort((one, other) => one.chunk_number - other.chunk_number);
  return (
    <li class="card result">
      <div class="row spread result-head">
        <h2>
          <span class="rank muted">{rank}</span>
          <a href={placeHref(main)}>{placeName(main)}</a>
        </h2>
        {holder.can('admin') && <ScoreBar chunk={main} />}
      </div>
      {padding.length > 0 ? (
        <ol class="plain strip" aria-label={t('search.neighbours')} tabIndex={0}>
          {strip.map((chunk) => (
            <li key={chunk.chunk_number} class={chunk === main ? 'match' : ''}>
              <p class="small muted">
                <a href={placeHref(chunk)}>{placeOf(chunk)}</a>
                {chunk === main ? ` ${t('search.match')}` : ''}
              </p>
              <Content chunk={chunk} question={question} />
            </li>
          ))}
        </ol>
      ) : (
        <div class={isImage ? 'page-result' : ''}>
          <Content chunk={main} question={question} />
        </div>
      )}
    </li>
  );
}

function Content({ chunk, question }: { readonly chunk: Chunk; readonly question: string }): JSX.Element {
  const { isImage, page } = placeOfChunk(chunk);
  if (isImage) return <PageImage link={chunk.content} name={placeName(chunk)} />;
  const text = chunk.content.trim();
  if (chunk.content_type === 'text/markdown') {
    return (
      <div class="answer-text passage-text">
        <Nodes nodes={markedTree(documentTree(text), question)} />
      </div>
    );
  }
  return (
    <p class="pre passage-text" dir="auto">
      <MarkedText text={page === null ? text : joined(text)} question={question} />
    </p>
  );
}

function placeOf(chunk: Chunk): string {
  const { pages } = placeOfChunk(chunk);
  return pages === null
    ? t('place.passageNumber', { number: chunk.chunk_number + 1 })
    : pages.charAt(0).toLocaleUpperCase(locale()) + pages.slice(1);
}
