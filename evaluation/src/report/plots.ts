import { scaleBand, scaleLinear } from 'd3-scale';
import { curveStepAfter, line } from 'd3-shape';
import { html, type Html } from './html.js';

const WIDTH = 440;
const HEIGHT = 230;
const LEFT = 44;
const RIGHT = WIDTH - 12;
const TOP = 12;
const BOTTOM = HEIGHT - 40;
const TICKS = 5;

/** A numeric scale with an axis. */
type Scale = ReturnType<typeof scaleLinear<number, number>>;

export interface Bar {
  readonly label: string;
  readonly value: number;
}

export interface Curve {
  readonly label: string;
  readonly values: readonly number[];
}

/** A bar chart of counts. */
export function barPlot(title: string, xLabel: string, bars: readonly Bar[]): Html {
  const x = scaleBand<string>(
    bars.map(({ label }) => label),
    [LEFT, RIGHT],
  ).padding(0.15);
  const y = scaleLinear([0, Math.max(1, ...bars.map(({ value }) => value))], [BOTTOM, TOP]).nice(TICKS);
  const drawn = bars.map(({ label, value }) => {
    const left = x(label) ?? LEFT;
    return html`<rect
        class="bar"
        x="${left}"
        y="${y(value)}"
        width="${x.bandwidth()}"
        height="${BOTTOM - y(value)}"
        ><title>${label}: ${value}</title></rect
      >
      <text x="${left + x.bandwidth() / 2}" y="${BOTTOM + 14}" text-anchor="middle">${label}</text>`;
  });
  // No more ticks than the largest count, because counts are integers.
  const ticks = Math.min(TICKS, y.domain()[1] ?? TICKS);
  return plot(title, [yAxis(y, ticks), ...drawn, xTitle(xLabel)]);
}

/** Cumulative distribution, one curve per list. @param most the x axis ends at this value or just above it */
export function cumulativePlot(title: string, xLabel: string, curves: readonly Curve[], most: number): Html {
  const x = scaleLinear([0, most], [LEFT, RIGHT]).nice(TICKS);
  const y = scaleLinear([0, 1], [BOTTOM, TOP]);
  const path = line<readonly [number, number]>(
    ([value]) => x(value),
    ([, share]) => y(share),
  ).curve(curveStepAfter);
  const drawn = curves.map(({ label, values }, index) => {
    const sorted = [...values].sort((a, b) => a - b);
    const points = sorted.map((value, rank) => [value, (rank + 1) / sorted.length] as const);
    return html`<path class="curve curve-${index}" d="${path([[0, 0], ...points]) ?? ''}" />
      <text class="key-${index}" x="${RIGHT - 4}" y="${BOTTOM - 10 - 16 * index}" text-anchor="end"
        >${label}</text
      >`;
  });
  return plot(title, [yAxis(y, TICKS), xAxis(x), ...drawn, xTitle(xLabel)]);
}

/** A plot of signed values as thin bars in ascending order: decreases at the left, increases at the right. */
export function differencePlot(title: string, xLabel: string, values: readonly number[]): Html {
  const sorted = [...values].sort((a, b) => a - b);
  const reach = Math.max(0.1, ...sorted.map(Math.abs));
  const x = scaleBand<number>(
    sorted.map((_, index) => index),
    [LEFT, RIGHT],
  );
  const y = scaleLinear([-reach, reach], [BOTTOM, TOP]).nice(TICKS);
  const drawn = sorted.map((value, index) => {
    const [top, bottom] = value > 0 ? [y(value), y(0)] : [y(0), y(value)];
    return html`<rect
      class="${value > 0 ? 'up' : 'down'}"
      x="${x(index) ?? LEFT}"
      y="${top}"
      width="${x.bandwidth()}"
      height="${bottom - top}"
    />`;
  });
  return plot(title, [yAxis(y, TICKS), ...drawn, xTitle(xLabel)]);
}

function plot(title: string, content: readonly Html[]): Html {
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${content}</svg>
  </figure>`;
}

function yAxis(scale: Scale, ticks: number): Html {
  const format = scale.tickFormat(ticks);
  const drawn = scale
    .ticks(ticks)
    .map(
      (tick) =>
        html`<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${scale(tick)}" y2="${scale(tick)}" />
          <text x="${LEFT - 6}" y="${scale(tick) + 4}" text-anchor="end">${format(tick)}</text>`,
    );
  return html`${drawn}`;
}

function xAxis(scale: Scale): Html {
  const format = scale.tickFormat(TICKS);
  const drawn = scale
    .ticks(TICKS)
    .map(
      (tick) => html`<text x="${scale(tick)}" y="${BOTTOM + 14}" text-anchor="middle">${format(tick)}</text>`,
    );
  return html`${drawn}`;
}

function xTitle(label: string): Html {
  return html`<text x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${label}</text>`;
}
