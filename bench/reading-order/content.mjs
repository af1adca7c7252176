/** Content for generated pages. Soft hyphens (\u00ad) mark where Chromium may break a word. */

const SHORT = (
  'the a of and in to for with from by on at over under that which this each some every new old small large north ' +
  'south east west first last long short quiet open river bridge harbour ferry island village market school garden ' +
  'library museum tower wall road train tram ship boat crew captain clerk board council mayor owner tenant farmer ' +
  'baker miller weaver teacher doctor nurse guest winter summer spring autumn morning evening night year month week ' +
  'stone brick glass iron copper silver timber paper water wind rain snow frost light sound price fee rent wage cost ' +
  'plan map chart list letter book page line table record report rule vote fund loan gift claim permit keeps holds ' +
  'takes brings carries sells buys builds mends paints opens closes begins ends grows falls moves turns leaves meets ' +
  'counts measures shows names lists needs pays spends saves gave found lost kept held sold bought built was were has had'
).split(' ');

const LONG = (
  'ob-ser-va-to-ry ad-min-is-tra-tion in-fra-struc-ture main-te-nance reg-u-la-tion en-gi-neer-ing con-ser-va-tion ' +
  'mu-nic-i-pal-i-ty trans-por-ta-tion com-mit-tee rec-om-men-da-tion in-ves-ti-ga-tion tem-per-a-ture neigh-bour-hood ' +
  'man-u-fac-tur-ing rep-re-sen-ta-tive sub-scrip-tion ar-chi-tec-ture in-de-pen-dent ag-ri-cul-tur-al ex-per-i-men-tal ' +
  'con-sid-er-able un-der-stand-ing ac-com-mo-da-tion cer-tif-i-cate pop-u-la-tion ed-u-ca-tion op-er-a-tion ' +
  'ex-pen-di-ture de-vel-op-ment'
)
  .split(' ')
  .map((word) => word.replaceAll('-', '\u00ad'));

/** Words that keep their hyphen. */
const COMPOUND = 'co-operative long-term well-known north-eastern self-governing part-time'.split(' ');

export const pick = (random, list) => list[Math.floor(random() * list.length)];
export const between = (random, least, most) => least + Math.floor(random() * (most - least + 1));
export const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));

export function sentence(random, least = 8, most = 18) {
  const words = times(between(random, least, most), () => {
    const kind = random();
    return pick(random, kind < 0.8 ? SHORT : kind < 0.96 ? LONG : COMPOUND);
  });
  if (random() < 0.15) words.splice(-1, 0, String(between(random, 3, 1999)));
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export const paragraph = (random, sentences = between(random, 3, 6)) =>
  times(sentences, () => sentence(random)).join(' ');

export function title(random, words = between(random, 2, 5)) {
  return times(words, () => capital(pick(random, random() < 0.5 ? SHORT : LONG))).join(' ');
}

export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
export const phrase = (random, least, most) =>
  capital(times(between(random, least, most), () => pick(random, SHORT)).join(' '));

export const amount = (random) => between(random, 12, 98_000).toLocaleString('en-US');
export const money = (random) =>
  (between(random, 100, 900_000) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
export const code = (random) => `${pick(random, ['AB', 'KR', 'XT', 'LQ'])}-${between(random, 1_000, 9_999)}`;
export const day = (random) =>
  `${between(random, 1, 28)} ${pick(random, ['January', 'March', 'May', 'July', 'October'])} ${between(random, 1990, 2026)}`;
export const time = (random) =>
  `${String(between(random, 5, 22)).padStart(2, '0')}:${String(between(random, 0, 59)).padStart(2, '0')}`;
