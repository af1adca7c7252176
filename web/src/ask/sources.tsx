import type { JSX } from 'preact';
import type { Completion } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useRoute } from '../app/router.js';
import { useSession } from '../app/session.js';
import { ErrorNotice } from '../design/notices.js';
import { MarkedText } from '../passages/marked-text.js';
import { PageImage } from '../passages/page-image.js';
import { sourceHref } from '../source/place.js';
import { t } from '../language/translate.js';

type Source = Completion['sources'][number];

/** The documents to which the next question is restricted. */
export interface NextScope {
  readonly ids: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

interface SourcesProps {
  readonly sources: readonly Source[];
  readonly question: string;
  /** Unset: the reader cannot ask here. */
  readonly scope: NextScope | undefined;
}

/** The passages that the model has read, in the order of the prompt. */
export function Sources({ sources, question, scope }: SourcesProps): JSX.Element {
  if (sources.length === 0) return <p class="muted small">{t('ask.noSources')}</p>;
  return (
    <details class="sources">
      <summary>{t('ask.sources', { count: sources.length })}</summary>
      <ol class="plain">
        {sources.map((source) => (
          <SourceView key={keyOf(source)} source={source} question={question} scope={scope} />
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
  scope,
}: Omit<SourcesProps, 'sources'> & { readonly source: Source }): JSX.Element {
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
        {score !== null && <span class="small muted">{t('ask.score', { score })}</span>}
      </p>
      {isImage ? (
        <SourceImage source={source} name={name} />
      ) : (
        <p class="pre small clamped" dir="auto">
          <MarkedText text={excerpt} question={question} />
        </p>
      )}
      {scope !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={scope.ids.includes(id)}
            onChange={(event) => {
              const others = scope.ids.filter((one) => one !== id);
              scope.onChange(event.currentTarget.checked ? [...others, id] : others);
            }}
          />
          {t('scope.narrow')}
        </label>
      )}
    </li>
  );
}

/** `report.pdf, page 2`. */
function nameOf({ document_id: id, chunk_number: chunk, filename, page_number: page }: Source): string {
  const name = filename ?? id;
  return page === null ? t('place.passage', { name, passage: chunk + 1 }) : t('place.onPage', { name, page });
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
