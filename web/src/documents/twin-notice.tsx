import type { JSX } from 'preact';
import type { Twin } from './twins.js';
import { t } from '../language/translate.js';

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
        {isOne ? t('twins.one', { name: first?.file.name ?? '' }) : t('twins.some', { count: twins.length })}
      </span>
      <span class="row">
        {twins.every(({ mayReplace }) => mayReplace) && (
          <button type="button" class="small-button" onClick={onReplace}>
            {isOne ? t('twins.replaceIt') : t('twins.replaceThem')}
          </button>
        )}
        <button type="button" class="small-button" onClick={onAdd}>
          {t('twins.add')}
        </button>
        <button type="button" class="small-button" onClick={onLeave}>
          {t('twins.leave')}
        </button>
      </span>
    </div>
  );
}
