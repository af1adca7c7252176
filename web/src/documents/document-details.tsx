import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { DocumentRecord } from '../api/lectern.js';
import { useSession } from '../app/session.js';
import { ActionDialog } from '../design/action-dialog.js';
import { readMetadata } from './metadata-text.js';
import { mayChange } from './ownership.js';
import { moment, textOf } from './record.js';

/** Labels of the fields of a record. */
const NAMES: Readonly<Record<string, string>> = {
  status: 'State',
  version: 'Version',
  created_at: 'Added',
  updated_at: 'Changed',
  page_count: 'Pages',
  chunk_count: 'Passages',
  progress: 'Progress',
  error: 'Problem',
  update_history: 'Earlier versions',
  use_colpali: 'Page images',
  embedding_model: 'Embedding model',
};

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
        <h2>Properties</h2>
        {mayChange(holder, document) && <MetadataDialog document={document} onChange={onChange} />}
      </div>
      {own.length === 0 ? (
        <p class="muted">None. Filters use properties.</p>
      ) : (
        <dl class="pairs">
          {own.map(([name, value]) => (
            <Pair key={name} name={name} note={types[name]} value={value} />
          ))}
        </dl>
      )}
      <h2>Record</h2>
      <dl class="pairs">
        <Pair name="Id" value={id} />
        <Pair name="Media type" value={type} />
        {Object.entries(system).map(([name, value]) => (
          <Pair key={name} name={NAMES[name] ?? name} value={name.endsWith('_at') ? moment(value) : value} />
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
      <h2>From the file</h2>
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
      label="Edit properties…"
      title="Edit properties"
      verb="Save"
      buttonClass="small-button"
      isReady={value !== null}
      onOpen={() => {
        setText(JSON.stringify(Object.fromEntries(ownMetadata(document)), null, 2));
      }}
      onDo={(signal) => client.updateMetadata(document.external_id, value ?? {}, { signal })}
      onDone={onChange}
    >
      <label>
        Properties as JSON
        <textarea
          class="code-input"
          rows={10}
          spellcheck={false}
          value={text}
          aria-invalid={problem !== null}
          onInput={(event) => {
            setText(event.currentTarget.value);
          }}
        />
      </label>
      <p class="small muted">A key that you leave out keeps its value. Set a key to null to clear it.</p>
      {problem !== null && <p class="small problem-text">{problem}</p>}
    </ActionDialog>
  );
}

function ownMetadata({ metadata }: DocumentRecord): [string, unknown][] {
  return Object.entries(metadata).filter(([name]) => name !== 'external_id' && name !== 'folder_name');
}

interface PairProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly value: unknown;
}

function Pair({ name, note, value }: PairProps): JSX.Element {
  return (
    <div>
      <dt>
        {name} {note !== undefined && <span class="muted small">{note}</span>}
      </dt>
      <dd>
        <Value value={value} />
      </dd>
    </div>
  );
}

/** Longer lists, such as of all pages, are collapsed. */
const LONG_LIST = 5;

function Value({ value }: { readonly value: unknown }): JSX.Element {
  if (!Array.isArray(value) || value.length <= LONG_LIST) return <>{textOf(value)}</>;
  return (
    <details>
      <summary>{value.length} entries</summary>
      {textOf(value)}
    </details>
  );
}
