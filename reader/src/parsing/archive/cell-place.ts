/** The 0-based column of a reference such as `AB12`. */
export function columnOf(place = ''): number | undefined {
  const letters = /^[A-Za-z]{1,3}/.exec(place)?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
