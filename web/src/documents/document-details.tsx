import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { PersonName } from '../names/named.js';
import { readMetadata } from './metadata-text.js';
import { mayChange } from './ownership.js';
import { moment, textOf } from './record.js';
import { t } from '../language/translate.js';

/** Fields of a record that the page shows elsewhere, or that tell only the page something. */
const UNSHOWN: readonly string[] = ['status', 'progress', 'page_view', 'drawn_page_count'];

/** The fields of a record that have a label; the others are shown by their names. */
const LABELLED = [
  'version',
  'created_at',
  'updated_at',
  'page_count',
  'chunk_count',
  'error',
  'update_history',
  'use_colpali',
  'embedding_model',
] as const;

function labelOf(name: string): string {
  const known = LABELLED.find((one) => one === name);
  return known === undefined ? name : t(`record.${known}`);
}

interface DocumentDetailsProps {
  readonly document: DocumentRecord;
  readonly onChange: () => void;
}

/** Fields of the record that the page does not show elsewhere. */
export function DocumentDetails({ document, onChange }: DocumentDetailsProps): JSX.Element {
  const { holder } = useSession();
  const { metadata_types: types, external_id: id, content_type: type, system_metadata: system } = document;
  const own = ownMetadata(document);
  return (
    <>
      <div class="row spread">
        <h2>{t('properties.heading')}</h2>
        {mayChange(holder, document) && <MetadataDialog document={document} onChange={onChange} />}
      </div>
      {own.length === 0 ? (
        <p class="muted">{t('properties.none')}</p>
      ) : (
        <dl class="pairs">
          {own.map(([name, value]) => (
            <Pair key={name} name={name} note={types[name]} value={value} />
          ))}
        </dl>
      )}
      <h2>{t('record.heading')}</h2>
      <dl class="pairs">
        <Pair name={t('record.id')} value={id} />
        <Pair name={t('record.media_type')} value={type} />
        {Object.entries(system)
          .filter(([name, value]) => !UNSHOWN.includes(name) && hasValue(value))
          .map(([name, value]) => (
            <Pair
              key={name}
              name={labelOf(name)}
              value={shownValue(name, value)}
              isHistory={name === 'update_history'}
            />
          ))}
      </dl>
      <FileProperties document={document} />
    </>
  );
}

/** Properties stored in the file, such as the creation date of a PDF. */
function FileProperties({ document }: { readonly document: DocumentRecord }): JSX.Element | null {
  const properties = Object.entries(document.additional_metadata);
  if (properties.length === 0) return null;
  return (
    <>
      <h2>{t('record.fromFile')}</h2>
      <dl class="pairs">
        {properties.map(([name, value]) => (
          <Pair key={name} name={name} value={value} />
        ))}
      </dl>
    </>
  );
}

function MetadataDialog({ document, onChange }: DocumentDetailsProps): JSX.Element {
  const { client } = useSession();
  const [text, setText] = useState('');
  const { value, problem } = readMetadata(text);
  return (
    <ActionDialog
      label={t('properties.editDots')}
      title={t('properties.edit')}
      verb={t('action.save')}
      buttonClass="small-button"
      isReady={value !== null}
      onOpen={() => {
        setText(JSON.stringify(Object.fromEntries(ownMetadata(document)), null, 2));
      }}
      onDo={(signal) => client.updateMetadata(document.external_id, value ?? {}, { signal })}
      onDone={onChange}
    >
      <label>
        {t('properties.asJson')}
        <textarea
          class="code-input"
          dir="ltr"
          rows={10}
          spellcheck={false}
          value={text}
          aria-invalid={problem !== null}
          onInput={(event) => {
            setText(event.currentTarget.value);
          }}
        />
      </label>
      <p class="small muted">{t('properties.hint')}</p>
      {problem !== null && <p class="small problem-text">{t(problem)}</p>}
    </ActionDialog>
  );
}

function shownValue(name: string, value: unknown): unknown {
  if (name.endsWith('_at')) return moment(value);
  return value === true ? t('options.yes') : value;
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}

function ownMetadata({ metadata }: DocumentRecord): [string, unknown][] {
  return Object.entries(metadata).filter(([name]) => name !== 'external_id' && name !== 'folder_name');
}

interface PairProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly value: unknown;
  /** Whether the value lists the versions of the document. */
  readonly isHistory?: boolean;
}

function Pair({ name, note, value, isHistory = false }: PairProps): JSX.Element {
  return (
    <div>
      <dt>
        {name} {note !== undefined && <span class="muted small">{note}</span>}
      </dt>
      <dd dir="auto">
        <Value value={value} isHistory={isHistory} />
      </dd>
    </div>
  );
}

/** Longer lists, such as of all pages, are collapsed. */
const LONG_LIST = 5;

function Value({ value, isHistory }: Required<Pick<PairProps, 'value' | 'isHistory'>>): JSX.Element {
  if (!Array.isArray(value)) return <>{textOf(value)}</>;
  const shown = isHistory ? <Versions entries={value} /> : <>{textOf(value)}</>;
  if (value.length <= LONG_LIST) return shown;
  return (
    <details>
      <summary>{t('record.entries', { count: value.length })}</summary>
      {shown}
    </details>
  );
}

const CHANGES = {
  add: 'history.add',
  metadata: 'history.metadata',
  rename: 'history.rename',
  replace: 'history.replace',
} as const;

/** The versions of a document: what changed, when, and who changed it. */
function Versions({ entries }: { readonly entries: readonly unknown[] }): JSX.Element {
  return (
    <ul class="plain">
      {entries.map((entry, place) => (
        <li key={place}>
          {changeInWords(entry)}
          <ChangedBy entry={entry} />
        </li>
      ))}
    </ul>
  );
}

/** The person who made a change. Nothing for an application, and for an entry of a release that did not record it. */
function ChangedBy({ entry }: { readonly entry: unknown }): JSX.Element | null {
  const { end_user_id: person } = Object(entry) as Readonly<Record<string, unknown>>;
  if (typeof person !== 'string') return null;
  return (
    <>
      {' · '}
      <PersonName id={person} />
    </>
  );
}

function changeInWords(entry: unknown): string {
  const { version, strategy, timestamp } = Object(entry) as Readonly<Record<string, unknown>>;
  const change = Object.entries(CHANGES).find(([name]) => name === strategy)?.[1];
  if (change === undefined) return textOf(entry);
  return t(change, { version: Number(version), when: moment(timestamp) });
}
