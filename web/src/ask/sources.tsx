import type { JSX } from 'preact';
import type { Completion } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { MarkedText } from '../passages/marked-text.js';
import { PageImage } from '../passages/page-image.js';
import { placeHref, placeName, placeOfChunk } from '../passages/place.js';

interface SourcesProps {
  readonly sources: Completion['sources'];
  readonly question: string;
  /** Whether page images were searched, so that chunk numbers are page numbers. */
  readonly pages: boolean;
}

/** The passages in the prompt, in order. */
export function Sources({ sources, question, pages }: SourcesProps): JSX.Element {
  const { client } = useSession();
  const chunks = useLoaded(
    (signal) =>
      sources.length === 0
        ? Promise.resolve([])
        : client.chunks(
            { sources, ...(pages ? { use_colpali: true, output_format: 'url' } : {}) },
            { signal },
          ),
    [sources],
  );
  if (sources.length === 0) return <p class="muted small">Nothing was found: the answer has no sources.</p>;
  return (
    <details class="sources">
      <summary>
        {sources.length} {sources.length === 1 ? 'source' : 'sources'}
      </summary>
      <ErrorNotice error={chunks.error} onRetry={chunks.reload} />
      <ol class="plain">
        {(chunks.value ?? []).map((chunk) => (
          <li key={`${chunk.document_id} ${chunk.chunk_number} ${chunk.content_type}`} class="source">
            <p class="row spread">
              <a href={placeHref(chunk)}>{placeName(chunk)}</a>
              <span class="small muted">score {chunk.score.toFixed(3)}</span>
            </p>
            {placeOfChunk(chunk).isImage ? (
              <div class="page-result">
                <PageImage link={chunk.content} name={placeName(chunk)} />
              </div>
            ) : (
              <p class="pre small clamped">
                <MarkedText text={chunk.content} question={question} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
