import type { JSX, Ref } from 'preact';
import type { ListedDocument } from '../api/lectern.js';
import { hrefOf } from '../app/router.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';

import type { FolderBelow } from './folders-in.js';
import { mayChange, PrivateMark } from './ownership.js';
import { ago, moment, stateOf, textOf, typeInWords } from './record.js';
import { StateBadge } from './state-badge.js';
import { t } from '../language/translate.js';

/** The selected documents of a list, by id. */
export type Chosen = ReadonlyMap<string, ListedDocument>;

export interface Selection {
  readonly chosen: Chosen;
  /** Number of documents in the list that the key may change; null: not known yet. */
  readonly total: number | null;
  /** Whether the list also has documents that the key may not change. */
  readonly isLimited: boolean;
  readonly onChange: (chosen: Chosen) => void;
}

interface FolderRowProps {
  readonly folder: FolderBelow;
  /** 1-based number of the row in the table; the heading is row 1. */
  readonly row: number;
  readonly hasChoice: boolean;
}

export function FolderRow({ folder: { path, name, count }, row, hasChoice }: FolderRowProps): JSX.Element {
  return (
    <tr aria-rowindex={row}>
      {hasChoice && <td class="choice" />}
      <td class="name">
        <a class="folder-link" href={hrefOf('documents', null, { folder: path })} title={path}>
          <Icon name="folder" /> <bdi>{name}</bdi>
        </a>
      </td>
      <td class="muted" colSpan={4}>
        {t('count.documents', { count })}
      </td>
    </tr>
  );
}

interface DocumentRowProps {
  /** The document in the row; null: the row is loading. */
  readonly document: ListedDocument | null;
  /** 0-based position in the list. */
  readonly index: number;
  /** 1-based number of the row in the table; the heading is row 1. */
  readonly row: number;
  readonly selection: Selection | null;
  readonly measure: Ref<HTMLTableRowElement>;
}

export function DocumentRow({ document, index, row, selection, measure }: DocumentRowProps): JSX.Element {
  const { holder } = useSession();
  const place = { 'aria-rowindex': row, 'data-index': index, ref: measure };
  if (document === null) {
    return (
      <tr {...place} class="coming">
        {selection !== null && <td class="choice" />}
        <td class="name" colSpan={5}>
          <span class="visually-hidden">{t('action.loading')}</span>
        </td>
      </tr>
    );
  }
  const {
    external_id: id,
    filename,
    folder_path: folder,
    content_type: type,
    system_metadata: system,
  } = document;
  const name = filename ?? id;
  return (
    <tr {...place}>
      {selection !== null && (
        <td class="choice">
          {mayChange(holder, document) && (
            <input
              type="checkbox"
              aria-label={t('table.select', { name })}
              checked={selection.chosen.has(id)}
              onChange={(event) => {
                const chosen = new Map(selection.chosen);
                if (event.currentTarget.checked) chosen.set(id, document);
                else chosen.delete(id);
                selection.onChange(chosen);
              }}
            />
          )}
        </td>
      )}
      <td class="name">
        <a href={hrefOf('documents', id)} dir="auto">
          {name}
        </a>
        <span class="type small muted">
          {typeInWords(type)} <PrivateMark document={document} />
        </span>
      </td>
      <td class="muted folder">
        <bdi dir="ltr" title={folder ?? undefined}>
          {folder ?? ''}
        </bdi>
      </td>
      <td class="state">
        <StateBadge state={stateOf(document)} />
      </td>
      <td class="number muted passages">{textOf(system?.['chunk_count'])}</td>
      <td class="muted changed" title={moment(system?.['updated_at'])}>
        {ago(system?.['updated_at'])}
      </td>
    </tr>
  );
}
