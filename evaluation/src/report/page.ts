import type { Comparison } from '../comparison.js';
import type { Run } from '../run.types.js';
import { html } from './html.js';
import { about, comparing, figures, latencyPlot, rankPlot, worstQuestions } from './sections.js';

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; color: #1c2430; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
  .about, figcaption, small { color: #5a6675; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid #dde2e8; }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .plots { display: flex; flex-wrap: wrap; gap: 1rem; } figure { flex: 1 1 24rem; max-width: 31rem; margin: 0 0 .8rem; }
  svg { width: 100%; } svg text { font-size: 11px; fill: #5a6675; }
  .grid { stroke: #e6eaee; } .bar { fill: #2f6db5; } .up { fill: #2c8a57; } .down { fill: #c0492f; }
  .curve { fill: none; stroke-width: 2; } .curve-0 { stroke: #2f6db5; } .curve-1 { stroke: #c07a1c; }
  svg .key-0 { fill: #2f6db5; } svg .key-1 { fill: #c07a1c; }
  .better { color: #1f7044; font-weight: 600; } .worse { color: #b03a22; font-weight: 600; }
  article { border: 1px solid #dde2e8; border-radius: 6px; padding: .6rem 1rem; margin: .8rem 0; overflow-wrap: anywhere; }
  article p { margin: .3rem 0; } article ol { margin: .3rem 0; padding-left: 1.4rem; }
`;

/** The report as an HTML page without scripts and external resources. */
export function page(run: Run, comparison: Comparison | null): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width" />
        <title>Lectern: evaluation of ${run.at}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>How good are the answers?</h1>
        ${about(run)} ${figures(run)} ${comparison === null ? '' : comparing(comparison)}
        <h2>Summary</h2>
        <div class="plots">${rankPlot(run)}${latencyPlot(run)}</div>
        ${worstQuestions(run)}
      </body>
    </html> `.markup;
}
