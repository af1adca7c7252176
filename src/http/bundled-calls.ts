/** Members that one statement reads together, and that count as one call. */
const READ_TOGETHER = 100;

type Calls = (body: Readonly<Record<string, unknown>>) => number;

/** Counts each member of a list as a call: each is a write or a job of its own. */
export function eachIn(member: string): Calls {
  return ({ [member]: list }) => (Array.isArray(list) ? list.length : 1);
}

/** Counts a hundred members of a list as a call, for routes that read them in one statement or model call. */
export function eachHundredIn(member: string): Calls {
  return (body) => Math.ceil(eachIn(member)(body) / READ_TOGETHER);
}
