import { Fragment } from 'preact';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSession } from '../app/session.js';
import { useWindowRows } from '../design/use-window-rows.js';
import type { DocumentList } from './document-list.js';
import { DocumentRow, FolderRow, type Selection } from './document-row.js';
import type { FolderBelow } from './folders-in.js';
import { t } from '../language/translate.js';

/** Number of rows beyond the window that are loaded ahead. */
const AHEAD = 40;
/** Height of most rows in pixels. */
const ROW_HEIGHT = 60;
const KEPT = 'documents.scroll';

interface DocumentTableProps {
  readonly list: DocumentList;
  /** Whether the rows of another query are being loaded. */
  readonly isComing: boolean;
  /** Folder rows above the document rows. */
  readonly folders: readonly FolderBelow[];
  /** The selected documents; null: the key cannot change documents. */
  readonly selection: Selection | null;
  /** Selects all documents of the list, including those that are not loaded. */
  readonly onSelectAll: () => void;
}

/** Scroll position and row heights of a list when its view was left. */
interface Place {
  readonly of: string;
  readonly top: number;
  readonly heights: ReturnType<ReturnType<typeof useWindowRows>['heights']>;
}

/** A table that renders only the rows in the window. */
export function DocumentTable(props: DocumentTableProps): JSX.Element {
  const { list, isComing, folders, selection, onSelectAll } = props;
  const { kept } = useSession();
  const total = list.total ?? 0;
  const start = useRef<HTMLTableSectionElement>(null);
  const left = useRef(kept.get(KEPT) as Place | undefined);
  const place = left.current?.of === list.key ? left.current : null;
  const { items, gapBefore, measure, heights, offset, keep } = useWindowRows({
    count: total,
    rowHeight: ROW_HEIGHT,
    heightsBefore: place?.heights ?? [],
    start,
  });
  useLayoutEffect(() => {
    if (place !== null) scrollTo(0, place.top);
    return () => {
      kept.set(KEPT, { of: list.key, top: offset(), heights: heights() } satisfies Place);
    };
  }, []);
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    list.need(Math.max(0, first - AHEAD), last + AHEAD);
  }, [list, first, last]);
  // Must be the exact number, because a cell that spans more columns would add a column.
  const columns = selection === null ? 5 : 6;
  const rowOf = (index: number): number => 2 + folders.length + index;
  return (
    <table
      class={selection === null ? 'documents' : 'documents selectable'}
      aria-busy={isComing}
      aria-rowcount={1 + folders.length + total}
    >
      <thead>
        <tr aria-rowindex={1}>
          {selection !== null && (
            <th scope="col" class="choice">
              <SelectAll selection={selection} onSelectAll={onSelectAll} />
            </th>
          )}
          <th scope="col">{t('documents.name')}</th>
          <th scope="col" class="folder">
            {t('table.folder')}
          </th>
          <th scope="col" class="state">
            {t('table.state')}
          </th>
          <th scope="col" class="number passages">
            {t('table.passages')}
          </th>
          <th scope="col" class="changed">
            {t('table.changed')}
          </th>
        </tr>
      </thead>
      {folders.length > 0 && (
        <tbody>
          {folders.map((one, index) => (
            <FolderRow key={one.path} folder={one} row={2 + index} hasChoice={selection !== null} />
          ))}
        </tbody>
      )}
      <tbody
        ref={start}
        onFocusIn={(event) => {
          keep(indexOf(event.target));
        }}
        onFocusOut={(event) => {
          keep(indexOf(event.relatedTarget));
        }}
      >
        {items.map(({ index }, position) => (
          <Fragment key={index}>
            <Gap height={gapBefore(position)} columns={columns} />
            <DocumentRow
              document={list.at(index)}
              index={index}
              row={rowOf(index)}
              selection={selection}
              measure={measure}
            />
          </Fragment>
        ))}
        <Gap height={gapBefore(items.length)} columns={columns} />
      </tbody>
    </table>
  );
}

interface GapProps {
  readonly height: number;
  readonly columns: number;
}

/** Fills the space of rows that are not rendered. */
function Gap({ height, columns }: GapProps): JSX.Element | null {
  if (height <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

/** Index of the document row that contains an element; null if no row contains it. */
function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('tr') : null;
  const index = row?.dataset['index'];
  return index === undefined ? null : Number(index);
}

interface SelectAllProps {
  readonly selection: Selection;
  readonly onSelectAll: () => void;
}

function SelectAll({ selection, onSelectAll }: SelectAllProps): JSX.Element {
  const { size } = selection.chosen;
  const total = selection.total ?? 0;

  const isAll = size === total && total > 0;
  return (
    <input
      type="checkbox"
      aria-label={t(selection.isLimited ? 'table.selectAllYours' : 'table.selectAll', { count: total })}
      disabled={total === 0}
      checked={isAll}
      indeterminate={size > 0 && !isAll}
      onChange={(event) => {
        event.currentTarget.checked = isAll; // stays unchecked until the documents are selected
        if (isAll) selection.onChange(new Map());
        else onSelectAll();
      }}
    />
  );
}
