import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ValidationProblem } from '../api/lectern.js';
import { useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { Icon } from '../design/icon.js';
import { draftOfText, draftOfTree, type FilterDraft } from './filter-draft.js';
import {
  compile,
  newCondition,
  newGroup,
  OPERATOR_NAMES,
  OPERATORS,
  operandKind,
  type Condition,
  type Group,
  type Item,
} from './filter-tree.js';
import { t } from '../language/translate.js';

/** Id of the list of the fields that documents have. */
const FIELDS_LIST = 'filter-fields';
const MOST_FIELDS = 200;

/** The fields that documents have, as suggestions. */
function KnownFields(): JSX.Element {
  const { client } = useSession();
  const { value } = useLoaded((signal) => client.metadata.fields({ limit: MOST_FIELDS, signal }), []);
  return (
    <datalist id={FIELDS_LIST}>
      {value?.fields.map(({ name }) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

interface FilterBuilderProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
  /** Validation errors whose location begins with `filters`. */
  readonly problems: readonly ValidationProblem[];
}

/** Shows the conditions and the equivalent JSON. A change of the conditions updates the JSON, and the reverse. */
export function FilterBuilder({ draft, onChange, problems }: FilterBuilderProps): JSX.Element {
  const { tree, text, problem } = draft;
  const [opened, setOpened] = useState(tree !== null && tree.items.length > 0);
  const [added, setAdded] = useState<number | null>(null);
  const hasText = text.trim() !== '';
  const locations = tree === null ? new Map<number, readonly (string | number)[]>() : compile(tree).locations;
  const messages = messagesByItem(problems, locations);
  const unattached = problems.filter((problem) => itemOf(problem, locations) === null);
  const setTree = (next: Group): void => {
    onChange(draftOfTree(next));
  };
  return (
    <details
      class="filter"
      open={opened || problems.length > 0}
      onToggle={(event) => {
        setOpened(event.currentTarget.open);
      }}
    >
      {opened && <KnownFields />}
      <summary>{hasText ? t('filter.set') : t('filter.filter')}</summary>
      <div class="filter-sides">
        <div>
          {tree === null ? (
            <p class="muted small">{t('filter.notShown')}</p>
          ) : (
            <GroupRows
              group={tree}
              onChange={setTree}
              messages={messages}
              depth={0}
              added={added}
              onAdded={setAdded}
            />
          )}
        </div>
        <label>
          {t('filter.asJson')}
          <textarea
            class="code-input"
            dir="ltr"
            rows={6}
            spellcheck={false}
            value={text}
            placeholder={'{"kind": "report", "year": {"$gte": 2024}}'}
            aria-invalid={problem !== null || problems.length > 0}
            aria-describedby="filter-problems"
            onInput={(event) => {
              onChange(draftOfText(event.currentTarget.value, draft));
            }}
          />
        </label>
      </div>
      <div id="filter-problems" role="alert" class="small problem-text">
        {problem !== null && (
          <p>
            {problem === 'notObject'
              ? t('filter.notObject')
              : t('filter.notJson', { reason: problem.notJson })}
          </p>
        )}
        {unattached.map(({ loc, msg }) => (
          <p key={loc.join('.')} dir="auto">
            <code>{loc.slice(2).join(' › ') || 'filters'}</code> {msg.replace(/^Value error, /, '')}
          </p>
        ))}
      </div>
    </details>
  );
}

interface RowsProps {
  readonly group: Group;
  readonly onChange: (group: Group) => void;
  readonly messages: ReadonlyMap<number, string>;
  readonly depth: number;
  /** The last added condition, which takes the focus. */
  readonly added: number | null;
  readonly onAdded: (id: number) => void;
  readonly onRemove?: () => void;
}

function GroupRows(props: RowsProps): JSX.Element {
  const { group, onChange, messages, depth, added, onAdded, onRemove } = props;
  const { mode, items } = group;
  const adding = useRef<HTMLButtonElement>(null);
  const set = (next: readonly Item[]): void => {
    onChange({ ...group, items: next });
  };
  const replace = (index: number, item: Item): void => {
    set(items.map((one, at) => (at === index ? item : one)));
  };
  const remove = (index: number): void => {
    set(items.filter((_, at) => at !== index));
    adding.current?.focus(); // the focused element is removed
  };
  const add = (item: Item, condition: Condition): void => {
    set([...items, item]);
    onAdded(condition.id);
  };
  return (
    <fieldset class={depth === 0 ? 'group' : 'group inner'}>
      {depth === 0 && items.length < 2 ? (
        <legend class="visually-hidden">{t('filter.conditions')}</legend>
      ) : (
        <legend>
          <select
            aria-label={t('filter.joined')}
            value={mode}
            onChange={(event) => {
              onChange({ ...group, mode: event.currentTarget.value === 'any' ? 'any' : 'all' });
            }}
          >
            <option value="all">{t('filter.all')}</option>
            <option value="any">{t('filter.any')}</option>
          </select>
          {onRemove !== undefined && <RemoveButton label={t('filter.removeGroup')} onClick={onRemove} />}
        </legend>
      )}
      {items.map((item, index) =>
        item.kind === 'group' ? (
          <GroupRows
            key={item.id}
            group={item}
            messages={messages}
            depth={depth + 1}
            added={added}
            onAdded={onAdded}
            onChange={(next) => {
              replace(index, next);
            }}
            onRemove={() => {
              remove(index);
            }}
          />
        ) : (
          <ConditionRow
            key={item.id}
            condition={item}
            focus={item.id === added}
            message={messages.get(item.id) ?? null}
            onChange={(next) => {
              replace(index, next);
            }}
            onRemove={() => {
              remove(index);
            }}
          />
        ),
      )}
      <div class="group-end">
        <button
          ref={adding}
          type="button"
          class="small-button"
          onClick={() => {
            const condition = newCondition();
            add(condition, condition);
          }}
        >
          <Icon name="plus" /> {t('filter.condition')}
        </button>
        <button
          type="button"
          class="small-button"
          onClick={() => {
            const condition = newCondition();
            add(newGroup(mode === 'all' ? 'any' : 'all', [condition]), condition);
          }}
        >
          <Icon name="plus" /> {t('filter.group')}
        </button>
      </div>
    </fieldset>
  );
}

interface ConditionRowProps {
  readonly condition: Condition;
  /** Whether the condition takes the focus on mount. */
  readonly focus: boolean;
  readonly message: string | null;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

function ConditionRow(props: ConditionRowProps): JSX.Element {
  const { condition, focus, message, onChange, onRemove } = props;
  const { field, operator, value } = condition;
  const kind = operandKind(operator);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focus) first.current?.focus();
  }, []);
  const setValue = (next: string): void => {
    onChange({ ...condition, value: next });
  };
  return (
    <div class="condition">
      <input
        ref={first}
        dir="auto"
        list={FIELDS_LIST}
        aria-label={t('filter.field')}
        placeholder={t('filter.fieldExample')}
        spellcheck={false}
        value={field}
        onInput={(event) => {
          onChange({ ...condition, field: event.currentTarget.value });
        }}
      />
      <select
        aria-label={t('filter.operator')}
        value={operator}
        onChange={(event) => {
          const next = OPERATOR_NAMES.find((name) => name === event.currentTarget.value) ?? '$eq';
          onChange({ ...condition, operator: next, value: operandKind(next) === 'flag' ? 'true' : value });
        }}
      >
        {OPERATOR_NAMES.map((name) => (
          <option key={name} value={name}>
            {t(OPERATORS[name][0])}
          </option>
        ))}
      </select>
      {kind === 'flag' ? (
        <select
          aria-label={t('filter.value')}
          value={value}
          onChange={(event) => {
            setValue(event.currentTarget.value);
          }}
        >
          <option value="true">{t('filter.yes')}</option>
          <option value="false">{t('filter.no')}</option>
        </select>
      ) : (
        <input
          dir="auto"
          aria-label={t('filter.value')}
          placeholder={kind === 'list' ? t('filter.listExample') : t('filter.valueExample')}
          spellcheck={false}
          value={value}
          aria-invalid={message !== null}
          onInput={(event) => {
            setValue(event.currentTarget.value);
          }}
        />
      )}
      <RemoveButton label={t('filter.removeCondition', { field })} onClick={onRemove} />
      {message !== null && (
        <p class="small problem-text" role="alert" dir="auto">
          {message}
        </p>
      )}
    </div>
  );
}

function RemoveButton({
  label,
  onClick,
}: {
  readonly label: string;
  readonly onClick: () => void;
}): JSX.Element {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name="close" />
    </button>
  );
}

type Locations = ReadonlyMap<number, readonly (string | number)[]>;

function messagesByItem(
  problems: readonly ValidationProblem[],
  locations: Locations,
): ReadonlyMap<number, string> {
  const messages = new Map<number, string>();
  for (const problem of problems) {
    const item = itemOf(problem, locations);
    if (item !== null) messages.set(item, problem.msg.replace(/^Value error, /, ''));
  }
  return messages;
}

/** The condition that an error refers to, found by the prefix of the error's location; null if there is none. */
function itemOf({ loc }: ValidationProblem, locations: Locations): number | null {
  const at = loc.slice(2).map(String); // after body and filters
  const found = [...locations].find(
    ([, location]) =>
      typeof location.at(-1) === 'string' &&
      !String(location.at(-1)).startsWith('$') &&
      location.every((part, index) => at[index] === String(part)),
  );
  return found?.[0] ?? null;
}
