/**
 * Upper bound of the size of a compiled pattern: its characters, classes and operators, with repetitions expanded.
 * Reads any text, also a pattern that the compiler rejects. Takes one step for each character.
 *
 * @example patternSize('^(a|b){1,900}$') // 4,502
 */
export function patternSize(pattern: string): number {
  /** For each open group: the size so far, and the size of its last part, which a repetition multiplies. */
  const groups: Size[] = [{ total: 0, last: 0 }];
  for (let at = 0; at < pattern.length; at += 1) {
    const group = groups.at(-1) ?? { total: 0, last: 0 };
    const character = pattern[at];
    if (character === '(') groups.push({ total: 1, last: 0 });
    else if (character === ')' && groups.length > 1) {
      groups.pop();
      add(groups.at(-1), group.total + 1);
    } else if (character === '[') {
      const end = endOfClass(pattern, at);
      add(group, 1 + Math.ceil((end - at) / 8));
      at = end;
    } else if (character === '\\') {
      add(group, 1);
      at += 1;
    } else if (character === '{') {
      const [whole, least = '0', most] = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(pattern.slice(at, at + 20)) ?? [];
      if (whole === undefined) add(group, 1);
      else {
        const times = Math.max(1, most === undefined ? Number(least) : Number(least) + 1, Number(most ?? 0));
        group.total += group.last * (times - 1) + times;
        group.last = group.last * times + times;
        at += whole.length - 1;
      }
    } else if (character === '*' || character === '+' || character === '?') {
      group.total += 1;
      group.last += 1;
    } else add(group, 1);
  }
  return groups.reduce((sum, { total }) => sum + total, 0);
}

interface Size {
  total: number;
  last: number;
}

function add(group: Size | undefined, size: number): void {
  if (group === undefined) return;
  group.total += size;
  group.last = size;
}

function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']' && at > start + 1) return at;
  }
  return pattern.length;
}
