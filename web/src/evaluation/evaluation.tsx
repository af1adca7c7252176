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
        setProblem(`${file.name} is not a JSON report of lectern eval.`);
        return;
      }
      read.push({ name: file.name, run });
    }
    setProblem(files.length > 2 ? 'Two reports can be compared; the others were ignored.' : null);
    // Sorted by time: the newer report is compared with the older one.
    setReports((before) =>
      [...(read.length === 1 ? before.slice(-1) : []), ...read].sort((one, other) =>
        one.run.at < other.run.at ? -1 : 1,
      ),
    );
  };
  return (
    <>
      <h1>Quality check</h1>
      <DropZone
        icon="chart"
        what="one or two reports"
        label="Reports"
        accept=".json,application/json"
        onFiles={(files) => void take(files)}
      >
        The JSON files of <code>lectern eval questions.jsonl --out report.json</code>; they stay in this
        browser.
      </DropZone>
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {reports.length > 0 && (
        <p class="row report-names">
          {reports.map(({ name }, index) => (
            <span key={index} class="badge">
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
              Swap before and after
            </button>
          )}
          <button
            type="button"
            class="small-button"
            onClick={() => {
              setReports([]);
            }}
          >
            Clear
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
      <EmptyState title="How good are the answers on your documents?">
        Write questions and the answers that you expect into a file, run <code>lectern eval</code>, and drop
        its report here. A second report shows what a change of settings made better or worse. The format of
        the file is in <code>docs/guide/evaluation.md</code>.
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
      <Markup of={comparing(comparison)} scrolls="The two runs compared" />
      <Summary text={comparisonSummary(comparison)} label="As lectern eval --against prints it" />
      <div class="side-by-side">
        {[before, after].map(({ name, run }, index) => (
          <section key={index} aria-label={index === 0 ? 'Before' : 'After'}>
            <p class="side-title">
              {index === 0 ? 'Before' : 'After'} <span class="muted small">{name}</span>
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
        <CopyButton text={text} label={`Copy: ${label}`} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label}>
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
