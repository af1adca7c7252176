import type { Comparison, Difference, Pair } from '../comparison.js';
import { worst } from '../figures.js';
import { MEASURE_NAMES, MEASURES } from '../measures.js';
import type { Found, QuestionResult, Run } from '../run.types.js';
import { html, type Html } from './html.js';
import { barPlot, cumulativePlot, differencePlot } from './plots.js';
import { expectedText, latencyText, NOTHING_SHARED, settingsText, signed, VERDICTS } from './summary.js';

/** Number of questions shown in detail. */
const WORST = 20;
const MOVED = 10;

/** Number of ranks with one bar each in the plot. */
const RANKS = 10;

/** Date, service and size of the run. */
export function about(run: Run): Html {
  return html`<p class="about">
    ${run.questions.length} questions to ${run.url} on ${run.at}, ${run.k} chunks each${failures(run)}.
    ${run.incomplete === undefined ? '' : html`<strong class="worse">Incomplete: ${run.incomplete}</strong>`}
  </p>`;
}

function failures({ failed }: Run): string {
  return failed === 0 ? '' : `; ${failed} failed and are not counted`;
}

/** Means of a run, and its latencies. */
export function figures(run: Run): Html {
  const rows = MEASURE_NAMES.flatMap((name) => {
    const figure = run.figures[name];
    if (figure === null) return [];
    const { mean, questions } = figure;
    return [row(MEASURES[name], mean.toFixed(3), `${questions}`)];
  });
  const latencies = (['retrieve', 'query'] as const).flatMap((route) => {
    const latency = run.latency[route];
    return latency === null
      ? []
      : [html`<li>POST /${route}${route === 'retrieve' ? '/chunks' : ''}: ${latencyText(latency)}</li>`];
  });
  return html`<h2>Figures</h2>
    <table>
      <tr>
        <th>Measure</th>
        <th class="number">Mean</th>
        <th class="number">Questions</th>
      </tr>
      ${rows}
    </table>
    <ul>
      ${latencies}
    </ul>`;
}

function row(name: string, ...numbers: readonly string[]): Html {
  return html`<tr>
    <td>${name}</td>
    ${numbers.map((number) => html`<td class="number">${number}</td>`)}
  </tr>`;
}

/** Differences between two runs with the verdict of the paired test, and the largest changes. */
export function comparing(comparison: Comparison): Html {
  const { against, pairs, unpaired, differences } = comparison;
  const others = unpaired === 0 ? '' : ` ${unpaired} questions that are in only one run are left out.`;
  const settings = settingsText(comparison).map((text) => html`<p><strong>${text}.</strong></p>`);
  if (differences.length === 0) {
    return html`<h2>Against the run of ${against}</h2>
      <p>Nothing can be compared: ${NOTHING_SHARED}.${others}</p>
      ${settings}`;
  }
  const moved = pairs.filter((pair) => change(pair) !== 0);
  return html`<h2>Against the run of ${against}</h2>
    ${settings}
    <p>
      Comparison of the ${pairs.length} questions of both runs, question by question.${others} <em>Noise</em>:
      if the two values of each question are swapped at random, 5% or more of the trials give a mean
      difference at least as large (paired randomisation test, with Holm's correction for the number of
      measures that differ). The interval is a 95% bootstrap interval of the mean difference, without
      correction.
    </p>
    <table>
      <tr>
        <th>Measure</th>
        <th class="number">Before</th>
        <th class="number">After</th>
        <th class="number">Difference</th>
        <th class="number">Interval</th>
        <th class="number">p</th>
        <th class="number">Up / down</th>
        <th>Verdict</th>
      </tr>
      ${differences.map(differenceRow)}
    </table>
    ${moved.length === 0 ? '' : changes(moved)}`;
}

function differenceRow(difference: Difference): Html {
  const { measure, before, after, interval, p, up, down, verdict } = difference;
  return html`<tr>
    <td>${MEASURES[measure]}</td>
    <td class="number">${before.toFixed(3)}</td>
    <td class="number">${after.toFixed(3)}</td>
    <td class="number">${signed(after - before)}</td>
    <td class="number">${signed(interval[0])} to ${signed(interval[1])}</td>
    <td class="number">${p.toFixed(3)}</td>
    <td class="number">${up} / ${down}</td>
    <td class="${verdict}">${VERDICTS[verdict]}</td>
  </tr>`;
}

function changes(moved: readonly Pair[]): Html {
  const most = [...moved].sort((a, b) => Math.abs(change(b)) - Math.abs(change(a))).slice(0, MOVED);
  const plot = differencePlot('nDCG@10, after minus before', 'questions that changed', moved.map(change));
  const rows = most.map((pair) => row(pair.after.question, signed(change(pair))));
  return html`<div class="plots">${plot}</div>
    <table>
      <tr>
        <th>Largest changes</th>
        <th class="number">nDCG@10</th>
      </tr>
      ${rows}
    </table>`;
}

function change({ before, after }: Pair): number {
  const [now, old] = [after.measures.ndcg_at_10, before.measures.ndcg_at_10];
  return now === null || old === null ? 0 : now - old;
}

/** Histogram of questions by the rank of the first relevant result. */
export function rankPlot({ questions }: Run): Html {
  const ranks = questions.flatMap(({ measures: { reciprocal_rank: rank } }) =>
    rank === null ? [] : [rank === 0 ? Infinity : Math.round(1 / rank)],
  );
  const count = (is: (rank: number) => boolean): number => ranks.filter(is).length;
  const bars = Array.from({ length: RANKS }, (_, index) => ({
    label: `${index + 1}`,
    value: count((rank) => rank === index + 1),
  }));
  const later = { label: `>${RANKS}`, value: count((rank) => rank > RANKS && rank !== Infinity) };
  const never = { label: 'none', value: count((rank) => rank === Infinity) };
  return barPlot('Questions by the rank of the first relevant result', 'rank', [...bars, later, never]);
}

/** Cumulative share of questions by latency. @param beside another run, whose plot gets the same axes */
export function latencyPlot({ questions }: Run, beside: Run | null = null): Html {
  const curves = [
    { label: '/retrieve/chunks', values: questions.flatMap(({ retrieve_ms }) => retrieve_ms ?? []) },
    { label: '/query', values: questions.flatMap(({ query_ms }) => query_ms ?? []) },
  ];
  const drawn = curves.filter(({ values }) => values.length > 0);
  const most = [...questions, ...(beside?.questions ?? [])].reduce(
    (longest, { retrieve_ms, query_ms }) => Math.max(longest, retrieve_ms ?? 0, query_ms ?? 0),
    1,
  );
  return cumulativePlot('Share of questions answered within', 'milliseconds', drawn, most);
}

/** The worst questions, each with the results that the search returned. */
export function worstQuestions({ questions }: Run): Html {
  const shown = worst(questions, WORST);
  if (shown.length === 0)
    return html`<h2>Worst questions</h2>
      <p>None: every ranking is perfect, and every answer contains the expected one.</p>`;
  return html`<h2>Worst questions</h2>
    ${shown.map(worstQuestion)}`;
}

function worstQuestion({
  line,
  question,
  expected,
  found,
  completion,
  error,
  measures,
}: QuestionResult): Html {
  const values = MEASURE_NAMES.flatMap((name) => {
    const value = measures[name];
    return value === null ? [] : [`${MEASURES[name]} ${value.toFixed(2)}`];
  });
  return html`<article>
    <p><strong>${question}</strong> <small>line ${line}</small></p>
    <p><small>Expected:</small> ${expectedText(expected)}</p>
    ${
      error === null
        ? html`<p><small>Found:</small></p>
            <ol>
              ${found.map(foundItem)}
            </ol>`
        : html`<p class="worse">${error}</p>`
    }
    ${completion === null ? '' : html`<p><small>Answer:</small> ${completion}</p>`}
    <p><small>${values.join(' · ')}</small></p>
  </article>`;
}

function foundItem({ filename, document_id, page: number, score, relevant, text }: Found): Html {
  const place = `${filename ?? document_id}${number === null ? '' : `, page ${number}`}`;
  return html`<li>
    <span class="${relevant ? 'better' : 'other'}">${place}</span>
    <small>score ${score.toFixed(3)}: ${text}</small>
  </li>`;
}
