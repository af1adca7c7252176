import type { JSX } from 'preact';
import type { ValidationProblem } from '../api/lectern.js';
import { FileTypeChoice } from '../filters/file-type-choice.js';
import { FilterBuilder } from '../filters/filter-builder.js';
import { scoreProblem, type RetrievalForm } from './retrieval-form.js';
import { t } from '../language/translate.js';

/** Whether a reranker is configured. Otherwise the option is not offered. */
const HAS_RERANKER = document.documentElement.dataset['reranker'] !== 'none';

interface RetrievalOptionsProps {
  readonly form: RetrievalForm;
  readonly onChange: (form: RetrievalForm) => void;
  /** Validation errors of the last request. */
  readonly problems: readonly ValidationProblem[];
  /** Whether the query is an image, which always searches pages. */
  readonly byImage: boolean;
  /** The number of passages without the option. */
  readonly passages: number;
}

export function RetrievalOptions(props: RetrievalOptionsProps): JSX.Element {
  const { form, onChange, problems, byImage, passages } = props;
  const of = (...names: readonly string[]): ValidationProblem[] =>
    problems.filter(({ loc }) => names.includes(String(loc[1])));
  const set = (part: Partial<RetrievalForm>): void => {
    onChange({ ...form, ...part });
  };
  const withPages = form.pages || byImage;
  const ofScore = scoreProblem(form);
  return (
    <div class="retrieval-options">
      <div class="option-grid">
        <FileTypeChoice
          draft={form.filter}
          onChange={(filter) => {
            set({ filter });
          }}
        />
        <NumberInput
          label={t('options.passages')}
          placeholder={String(passages)}
          min={1}
          value={form.k}
          problems={of('k')}
          onValue={(k) => {
            set({ k });
          }}
        />
        <NumberInput
          label={t('options.minScore')}
          placeholder="0"
          min={0}
          max={1}
          step={0.05}
          value={form.minScore}
          problems={ofScore === null ? of('min_score') : [{ loc: [], msg: ofScore, type: 'value_error' }]}
          onValue={(minScore) => {
            set({ minScore });
          }}
        />
        {HAS_RERANKER && (
          <label>
            <span>{t('options.rerank')}</span>
            <select
              value={form.reranking}
              aria-invalid={of('use_reranking').length > 0}
              onChange={(event) => {
                const { value } = event.currentTarget;
                set({ reranking: value === 'true' || value === 'false' ? value : '' });
              }}
            >
              <option value="">{t('options.default')}</option>
              <option value="true">{t('options.yes')}</option>
              <option value="false">{t('options.no')}</option>
            </select>
            <Problems problems={of('use_reranking')} />
          </label>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={withPages}
            disabled={byImage}
            onChange={(event) => {
              set({ pages: event.currentTarget.checked });
            }}
          />
          <span>{t('options.pages')}</span>
        </label>
        {withPages && (
          <NumberInput
            label={t('options.neighbours')}
            placeholder="0"
            min={0}
            value={form.padding}
            problems={of('padding', 'output_format')}
            onValue={(padding) => {
              set({ padding });
            }}
          />
        )}
      </div>
      <FilterBuilder
        draft={form.filter}
        problems={of('filters')}
        onChange={(filter) => {
          set({ filter });
        }}
      />
    </div>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly min: number;
  readonly max?: number;
  readonly step?: number;
  readonly value: string;
  readonly problems: readonly ValidationProblem[];
  readonly onValue: (value: string) => void;
}

function NumberInput({
  label,
  placeholder,
  min,
  max,
  step = 1,
  value,
  problems,
  onValue,
}: NumberInputProps): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        inputMode="decimal"
        placeholder={placeholder}
        min={min}
        max={max}
        step={step}
        value={value}
        aria-invalid={problems.length > 0}
        onInput={(event) => {
          onValue(event.currentTarget.value);
        }}
      />
      <Problems problems={problems} />
    </label>
  );
}

function Problems({ problems }: { readonly problems: readonly ValidationProblem[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <span class="small problem-text" role="alert" dir="auto">
      {problems.map(({ msg }) => msg.replace(/^Value error, /, '')).join(' ')}
    </span>
  );
}
