import type { JSX } from 'preact';
import type { Completion } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { MarkedText } from '../passages/marked-text.js';
import { PageImage } from '../passages/page-image.js';
import { sourceHref } from '../source/place.js';

type Source = Completion['sources'][number];

interface SourcesProps {
  readonly sources: readonly Source[];
  readonly question: string;
}

/** The passages that the model has read, in the order of the prompt. */
export function Sources({ sources, question }: SourcesProps): JSX.Element {
  if (sources.length === 0) return <p class="muted small">Nothing was found: the answer has no sources.</p>;
  return (
    <details class="sources">
      <summary>
        {sources.length} {sources.length === 1 ? 'source' : 'sources'}
      </summary>
      <ol class="plain">
        {sources.map((source) => (
          <SourceView key={keyOf(source)} source={source} question={question} />
        ))}
      </ol>
    </details>
  );
}

function keyOf({ document_id: id, chunk_number: chunk, is_image: isImage }: Source): string {
  return `${id} ${chunk} ${String(isImage)}`;
}

function SourceView({
  source,
  question,
}: {
  readonly source: Source;
  readonly question: string;
}): JSX.Element {
  const {
    document_id: id,
    chunk_number: chunk,
    score,
    page_number: page,
    is_image: isImage,
    excerpt,
  } = source;
  const name = nameOf(source);
  const quote = isImage || excerpt === '' ? null : excerpt.replace(/…$/, '');
  const href = sourceHref(useRoute(), { id, chunk, page, quote });
  return (
    <li class="source">
      <p class="row spread">
        <a href={href}>{name}</a>
        {score !== null && <span class="small muted">score {score.toFixed(3)}</span>}
      </p>
      {isImage ? (
        <SourceImage source={source} name={name} />
      ) : (
        <p class="pre small clamped">
          <MarkedText text={excerpt} question={question} />
        </p>
      )}
    </li>
  );
}

/** `report.pdf, page 2`. */
function nameOf({ document_id: id, chunk_number: chunk, filename, page_number: page }: Source): string {
  return `${filename ?? id}, ${page === null ? `passage ${chunk + 1}` : `page ${page}`}`;
}

function SourceImage({ source, name }: { readonly source: Source; readonly name: string }): JSX.Element {
  const { client } = useSession();
  const chunks = useLoaded(
    (signal) => client.chunks({ sources: [source], use_colpali: true, output_format: 'url' }, { signal }),
    [keyOf(source)],
  );
  const link = chunks.value?.[0]?.content;
  return (
    <div class="page-result">
      <ErrorNotice error={chunks.error} onRetry={chunks.reload} />
      {link !== undefined && <PageImage link={link} name={name} />}
    </div>
  );
}
