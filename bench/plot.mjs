const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 60;
const RIGHT = 150;
const TOP = 40;
const BOTTOM = 50;
/** Colours that people with colour vision deficiencies can distinguish. Okabe and Ito, "Color Universal Design", 2008. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

/**
 * An SVG plot of series over sizes with logarithmic axes: linear growth has slope 1, constant cost is flat.
 *
 * @param series `{ name, points: [x, y][] }`
 */
export function plotOf({ title, x, series }) {
  const points = series.flatMap((one) => one.points);
  const [left, right] = extent(points.map(([at]) => at));
  const [low, high] = extent(points.map(([, value]) => value));
  const across = (at) => LEFT + ((Math.log10(at) - left) / (right - left)) * (WIDTH - LEFT - RIGHT);
  const up = (value) =>
    HEIGHT - BOTTOM - ((Math.log10(value) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const text = (at, where, words, anchor = 'middle') =>
    `<text x="${at.toFixed(1)}" y="${where.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;
  const grid = [
    ...powers(left, right).map(
      (at) =>
        `<path d="M${across(at).toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/>${text(across(at), HEIGHT - BOTTOM + 20, at.toLocaleString('en-US'))}`,
    ),
    ...powers(low, high).map(
      (value) =>
        `<path d="M${LEFT} ${up(value).toFixed(1)}H${WIDTH - RIGHT}" stroke="#ddd"/>${text(LEFT - 8, up(value) + 4, value.toLocaleString('en-US'), 'end')}`,
    ),
  ];
  const heights = apart(series.map((one) => up(one.points.at(-1)[1])));
  const lines = series.map(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = own.map(([at, value]) => `${across(at).toFixed(1)} ${up(value).toFixed(1)}`).join('L');
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/><g fill="${colour}">${text(WIDTH - RIGHT + 8, heights[index] + 4, name, 'start')}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif" font-size="13" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${text(LEFT, 20, title, 'start')}
${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x)}
${[...grid, ...lines].join('\n')}
</svg>
`;
}

/** Powers of ten around the numbers, as exponents. */
function extent(numbers) {
  const low = Math.floor(Math.log10(Math.min(...numbers)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...numbers))))];
}

function powers(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
}

/** Vertical label positions without overlaps. */
function apart(heights) {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height);
  for (let at = 1; at < order.length; at += 1) {
    order[at].height = Math.max(order[at].height, order[at - 1].height + 16);
  }
  return order.sort((a, b) => a.index - b.index).map(({ height }) => height);
}
