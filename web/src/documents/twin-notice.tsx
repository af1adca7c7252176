import type { JSX } from 'preact';
import type { Twin } from './twins.js';

interface TwinNoticeProps {
  readonly twins: readonly Twin[];
  readonly onReplace: () => void;
  readonly onAdd: () => void;
  readonly onLeave: () => void;
}

/** Asks what to do with files whose names already exist in the folder. */
export function TwinNotice({ twins, onReplace, onAdd, onLeave }: TwinNoticeProps): JSX.Element {
  const [first] = twins;
  const isOne = twins.length === 1;
  return (
    <div class="notice hint row spread held" role="alert">
      <span>
        {isOne ? `“${first?.file.name ?? ''}” already exists.` : `${twins.length} files already exist.`}
      </span>
      <span class="row">
        {twins.every(({ mayReplace }) => mayReplace) && (
          <button type="button" class="small-button" onClick={onReplace}>
            Replace {isOne ? 'it' : 'them'}
          </button>
        )}
        <button type="button" class="small-button" onClick={onAdd}>
          Add again
        </button>
        <button type="button" class="small-button" onClick={onLeave}>
          Leave out
        </button>
      </span>
    </div>
  );
}
