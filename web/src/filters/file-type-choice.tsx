import type { JSX } from 'preact';
import { t } from '../language/translate.js';
import { FILE_TYPE_NAMES, FILE_TYPES, fileTypeOf, withFileType } from './file-types.js';
import { draftOfTree, type FilterDraft } from './filter-draft.js';

interface FileTypeChoiceProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
}

/** Chooses the kind of files, as a condition of the filter. Renders nothing for a filter that is edited as JSON only. */
export function FileTypeChoice({ draft, onChange }: FileTypeChoiceProps): JSX.Element | null {
  const { tree } = draft;
  if (tree === null) return null;
  return (
    <label>
      <span>{t('fileType.label')}</span>
      <select
        value={fileTypeOf(tree) ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const type = FILE_TYPE_NAMES.find((name) => name === value) ?? null;
          onChange(draftOfTree(withFileType(tree, type)));
        }}
      >
        <option value="">{t('fileType.any')}</option>
        {FILE_TYPE_NAMES.map((name) => (
          <option key={name} value={name}>
            {t(FILE_TYPES[name][0])}
          </option>
        ))}
      </select>
    </label>
  );
}
