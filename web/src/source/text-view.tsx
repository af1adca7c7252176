import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { useLoaded } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Nodes } from '../ask/answer-text.js';
import { Busy, ErrorNotice } from '../design/notices.js';
import { placeOfChunk } from '../passages/place.js';
import type { ShownSource } from './place.js';
import { formOf, partAround, sourceTree } from './source-text.js';
import { t } from '../language/translate.js';

interface TextViewProps {
  readonly source: ShownSource;
  /** Media type of the file. */
  readonly contentType: string;
}

/** The rendered text of a document with the quotation marked. */
export function TextView({ source, contentType }: TextViewProps): JSX.Element {
  const { id, chunk, quote } = source;
  const { client } = useSession();
  const loaded = useLoaded(
    async (signal) => {
      const sources = [{ document_id: id, chunk_number: chunk }];
      const [text, [found]] = await Promise.all([
        client.text(id, { signal }),
        client.chunks({ sources }, { signal }),
      ]);
      const passage = found === undefined ? null : placeOfChunk(found).span;
      return { text: text ?? '', passage, textType: found?.content_type ?? 'text/plain' };
    },
    [id, chunk],
  );
  const frame = useRef<HTMLDivElement>(null);
  const { value } = loaded;
  const shown = useMemo(() => {
    if (value === null) return null;
    const { start, end } = partAround(value.text, value.passage);
    const nodes = sourceTree(value.text.slice(start, end), formOf(value.textType, contentType), quote);
    return { nodes, isPart: end - start < value.text.length };
  }, [value, contentType, quote]);
  useEffect(() => {
    const box = frame.current;
    const mark = box?.querySelector<HTMLElement>('[data-quote]');
    if (!box || !mark) return;
    const below = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.scrollTo({ top: box.scrollTop + below - box.clientHeight / 3 });
  }, [shown]);
  if (shown === null) {
    return loaded.error === null ? (
      <Busy>{t('text.loading')}</Busy>
    ) : (
      <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
    );
  }
  return (
    <>
      {shown.isPart && (
        <p class="small muted">
          {t('source.part')} <a href={hrefOf('documents', id, { chunk, quote })}>{t('source.whole')}</a>
        </p>
      )}
      <div ref={frame} class="source-text-frame" tabIndex={0} role="group" aria-label={t('source.textFrame')}>
        <div class="answer-text source-text">
          <Nodes nodes={shown.nodes} />
        </div>
      </div>
    </>
  );
}
