import type { LecternClient } from '@lectern/client';
import { ENGLISH, placeName, SourceStore, type SourcePlace, type Words } from '@lectern/client/ui';
import { useEffect, useState, type ReactElement } from 'react';
import { useStore } from './use-store.js';

export interface SourcePageProps {
  readonly client: LecternClient;
  /** A citation, or a source of an answer. */
  readonly source: SourcePlace;
  readonly words?: Partial<Words> | undefined;
}

/** The page of a source with the cited lines marked; the text with marks if there is no image of the page. */
export function SourcePage({ client, source, words: given }: SourcePageProps): ReactElement {
  const words = { ...ENGLISH, ...given };
  const [store] = useState(() => new SourceStore());
  const { document_id: id, chunk_number: chunk, page_number: page, quote, filename } = source;
  useEffect(() => {
    const place = { document_id: id, chunk_number: chunk, page_number: page, filename, quote: quote ?? null };
    void store.show(client, place);
    return store.close;
  }, [store, client, id, chunk, page, filename, quote]);
  const { image, marks, text, isLoading, error } = useStore(store);
  const name = placeName(source, words);
  return (
    <figure className="lectern-page" aria-busy={isLoading}>
      <figcaption>{name}</figcaption>
      <p role="status">{isLoading ? words.loading : ''}</p>
      <div className="lectern-error" role="alert">
        {error !== null && <p>{words.error(error)}</p>}
      </div>
      {image !== null && (
        <div className="lectern-sheet">
          <img src={image} alt={words.pageOf(name)} />
          {marks.map(({ left, top, width, height }, key) => (
            <span
              key={key}
              className="lectern-mark"
              style={{
                left: `${100 * left}%`,
                top: `${100 * top}%`,
                width: `${100 * width}%`,
                height: `${100 * height}%`,
              }}
            />
          ))}
        </div>
      )}
      {image !== null && quote && <blockquote dir="auto">{quote}</blockquote>}
      {text !== null && (
        <p className="lectern-source-text" dir="auto">
          {text.map((part, key) => (part.isMarked ? <mark key={key}>{part.text}</mark> : part.text))}
        </p>
      )}
    </figure>
  );
}
