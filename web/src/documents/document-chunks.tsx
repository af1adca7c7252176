import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Chunk } from '../api/lectern.js';
import { useCall } from '../app/calls.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { joined } from '../passages/marks.js';
import { placeOfChunk } from '../passages/place.js';
import { t } from '../language/translate.js';

const CHUNKS_PER_REQUEST = 20;

interface DocumentChunksProps {
  readonly id: string;
  /** Total number of passages. */
  readonly count: number;
  /** Called to show a passage in the text. */
  readonly onShow: () => void;
}

/** The passages of a document: the units of a search. */
export function DocumentChunks({ id, count, onShow }: DocumentChunksProps): JSX.Element {
  const { client } = useSession();
  const [chunks, setChunks] = useState<readonly Chunk[]>([]);
  const more = useCall<[number], Chunk[]>((signal, start) => {
    const numbers = Array.from(
      { length: Math.min(CHUNKS_PER_REQUEST, count - start) },
      (_, index) => start + index,
    );
    const sources = numbers.map((number) => ({ document_id: id, chunk_number: number }));
    return client.chunks({ sources }, { signal });
  });
  const load = async (start: number): Promise<void> => {
    const found = await more.run(start);
    if (found !== null) setChunks((before) => (start === 0 ? found : [...before, ...found]));
  };
  useEffect(() => {
    if (count > 0) void load(0);
  }, [id, count]);
  if (count === 0)
    return <EmptyState title={t('documents.noPassages')}>{t('documents.noPassagesHint')}</EmptyState>;
  return (
    <>
      <ol class="plain chunks">
        {chunks.map((chunk) => {
          const { pages } = placeOfChunk(chunk);
          const name = t('place.passageNumber', { number: chunk.chunk_number + 1 });
          return (
            <li key={chunk.chunk_number} class="card">
              <p class="small muted row spread">
                <span>{pages === null ? name : t('place.at', { name, place: pages })}</span>
                <a href={hrefOf('documents', id, { chunk: chunk.chunk_number })} onClick={onShow}>
                  {t('documents.showInText')}
                </a>
              </p>
              <p class="pre" dir="auto">
                {pages === null ? chunk.content.trim() : joined(chunk.content.trim())}
              </p>
            </li>
          );
        })}
      </ol>
      <ErrorNotice error={more.error} onRetry={() => void load(chunks.length)} />
      {more.running && <Busy>{t('documents.loadingPassages')}</Busy>}
      {chunks.length > 0 && chunks.length < count && (
        <button type="button" onClick={() => void load(chunks.length)}>
          {t('documents.morePassages')}
        </button>
      )}
    </>
  );
}
