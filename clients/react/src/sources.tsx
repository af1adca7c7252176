import { ENGLISH, placeName, type Source, type Words } from '@lectern/client/ui';
import type { ReactElement } from 'react';
import type { Asking } from './use-answer.js';

export interface SourcesProps {
  readonly answer: Asking;
  /** Called when a source is chosen, for example to show its page. If unset, the names of sources are not buttons. */
  readonly onOpen?: ((source: Source) => void) | undefined;
  readonly words?: Partial<Words> | undefined;
}

/** The chunks that the model read: file name, page and the start of the text, numbered as in `<Answer>`. */
export function Sources({ answer, onOpen, words: given }: SourcesProps): ReactElement | null {
  const words = { ...ENGLISH, ...given };
  const { id, sources, state } = answer;
  if (sources.length === 0) return state === 'done' ? <p>{words.noSources}</p> : null;
  return (
    <section className="lectern-sources" aria-label={words.sources}>
      <ol>
        {sources.map((source, index) => {
          const name = placeName(source, words);
          return (
            <li key={index} id={sourceId(id, index)} className="lectern-source" tabIndex={-1}>
              <cite>
                {onOpen === undefined ? (
                  name
                ) : (
                  <button
                    type="button"
                    onClick={() => {
                      onOpen(source);
                    }}
                  >
                    {name}
                  </button>
                )}
              </cite>
              <p dir="auto">{source.excerpt}</p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Element id of a source. */
export function sourceId(id: string, index: number): string {
  return `${id}-source-${index + 1}`;
}
