import { useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import {
  about,
  compare,
  comparing,
  comparisonSummary,
  figures,
  isRun,
  latencyPlot,
  rankPlot,
  worstQuestions,
  type Html,
  type Run,
} from '@lectern/evaluation';
import { useKept } from '../app/kept.js';
import { CopyButton } from '../design/copy-button.js';
import { DropZone } from '../design/drop-zone.js';
import { EmptyState } from '../design/notices.js';
import { rich, t } from '../language/translate.js';

interface Report {
  readonly name: string;
  readonly run: Run;
}

/**
 * Shows one report of `lectern eval` with plots and its worst questions, or two reports side by side. Reports are not
 * sent to the service.
 */
export function Evaluation(): JSX.Element {
  const [reports, setReports] = useKept<readonly Report[]>('evaluation.reports', []);
  const [problem, setProblem] = useState<string | null>(null);
  const take = async (files: readonly File[]): Promise<void> => {
    const read: Report[] = [];
    for (const file of files.slice(0, 2)) {
      const run = runOf(await file.text());
      if (run === null) {
        setProblem(t('evaluation.notReport', { name: file.name }));
        return;
      }
      read.push({ name: file.name, run });
    }
    setProblem(files.length > 2 ? t('evaluation.onlyTwo') : null);
    // Sorted by time: the newer report is compared with the older one.
    setReports((before) =>
      [...(read.length === 1 ? before.slice(-1) : []), ...read].sort((one, other) =>
        one.run.at < other.run.at ? -1 : 1,
      ),
    );
  };
  return (
    <>
      <h1>{t('view.evaluation')}</h1>
      <DropZone
        icon="chart"
        title={t('evaluation.drop')}
        label={t('evaluation.reports')}
        accept=".json,application/json"
        onFiles={(files) => void take(files.map(({ file }) => file))}
      >
        {rich('evaluation.files', { code: (parts) => <code>{parts}</code> })}
      </DropZone>
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {reports.length > 0 && (
        <p class="row report-names">
          {reports.map(({ name }, index) => (
            <span key={index} class="badge" dir="auto">
              {name}
            </span>
          ))}
          {reports.length === 2 && (
            <button
              type="button"
              class="small-button"
              onClick={() => {
                setReports([...reports].reverse());
              }}
            >
              {t('evaluation.swap')}
            </button>
          )}
          <button
            type="button"
            class="small-button"
            onClick={() => {
              setReports([]);
            }}
          >
            {t('action.clear')}
          </button>
        </p>
      )}
      <Reports reports={reports} />
    </>
  );
}

function Reports({ reports }: { readonly reports: readonly Report[] }): JSX.Element {
  const [first, second] = reports;
  if (first === undefined) {
    return (
      <EmptyState title={t('evaluation.empty')}>
        {rich('evaluation.emptyHint', { code: (parts) => <code>{parts}</code> })}
      </EmptyState>
    );
  }
  if (second === undefined) return <OneReport report={first} />;
  return <TwoReports before={first} after={second} />;
}

function OneReport({ report: { run } }: { readonly report: Report }): JSX.Element {
  return (
    <>
      <Markup of={about(run)} />
      <Markup of={figures(run)} />
      <Markup of={rankPlot(run)} among="plots" with={latencyPlot(run)} />
      <Markup of={worstQuestions(run)} />
    </>
  );
}

function TwoReports({ before, after }: { readonly before: Report; readonly after: Report }): JSX.Element {
  const comparison = useMemo(() => compare(after.run, before.run), [before, after]);
  return (
    <>
      <Markup of={comparing(comparison)} scrolls={t('evaluation.compared')} />
      <Summary text={comparisonSummary(comparison)} label={t('evaluation.asPrinted')} />
      <div class="side-by-side">
        {[before, after].map(({ name, run }, index) => (
          <section key={index} aria-label={index === 0 ? t('evaluation.before') : t('evaluation.after')}>
            <p class="side-title">
              {index === 0 ? t('evaluation.before') : t('evaluation.after')}{' '}
              <bdi class="muted small">{name}</bdi>
            </p>
            <Markup of={about(run)} />
            <Markup of={figures(run)} />
            <Markup
              of={rankPlot(run)}
              among="plots"
              with={latencyPlot(run, (index === 0 ? after : before).run)}
            />
            <Markup of={worstQuestions(run)} />
          </section>
        ))}
      </div>
    </>
  );
}

interface MarkupProps {
  readonly of: Html;
  readonly with?: Html;
  readonly among?: string;
  /**
   * Accessible name of a part that is wider than the page. The part is focusable, so that the keyboard can scroll it.
   */
  readonly scrolls?: string;
}

/** A part of the report as generated by `lectern eval`, which escapes all external text in it. */
function Markup({ of, with: other, among = '', scrolls }: MarkupProps): JSX.Element {
  const markup = of.markup + (other?.markup ?? '');
  const region =
    scrolls === undefined ? {} : ({ role: 'region', tabIndex: 0, 'aria-label': scrolls } as const);
  return (
    <div
      class={`report ${among}${scrolls === undefined ? '' : 'scrolls'}`}
      lang="en"
      dir="ltr"
      {...region}
      dangerouslySetInnerHTML={{ __html: markup }}
    />
  );
}

function Summary({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <figure class="summary">
      <figcaption class="row spread small muted">
        {label}
        <CopyButton text={text} label={t('copy.named', { name: label })} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label} lang="en" dir="ltr">
        {text}
      </pre>
    </figure>
  );
}

function runOf(text: string): Run | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRun(value) ? value : null;
  } catch {
    return null;
  }
}
