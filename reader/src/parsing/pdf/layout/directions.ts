import type { TextRun } from './segments.js';

/** The runs of one direction, turned so that the text runs from left to right. */
interface Direction {
  /** In degrees, counted counterclockwise. */
  readonly angle: number;
  readonly upright: readonly TextRun[];
}

/** Text within this angle of the horizontal or vertical is horizontal or vertical, in degrees. */
const TOLERANCE = 5;
const QUARTER = 90;
const FULL_TURN = 360;

/** Groups runs by direction. The direction from left to right comes first, then the directions with most text. */
export function byDirection(runs: readonly TextRun[]): Direction[] {
  const groups = new Map<number, TextRun[]>();
  for (const run of runs) {
    const angle = directionOf(run.angle ?? 0);
    const group = groups.get(angle);
    if (group === undefined) groups.set(angle, [run]);
    else group.push(run);
  }
  return [...groups]
    .map(([angle, own]) => ({
      angle,
      upright: angle === 0 ? own : own.map((run) => turned(run, -angle)),
      length: own.reduce((sum, { str }) => sum + str.length, 0),
    }))
    .sort((a, b) => Number(b.angle === 0) - Number(a.angle === 0) || b.length - a.length);
}

/** Rotates the position of a run around the origin, by an angle in degrees. */
export function turned(run: TextRun, angle: number): TextRun {
  if (angle === 0) return run;
  const radians = (angle * Math.PI) / (FULL_TURN / 2);
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)];
  return {
    ...run,
    x: run.x * cosine - run.y * sine,
    y: run.x * sine + run.y * cosine,
    angle: (run.angle ?? 0) + angle,
  };
}

function directionOf(angle: number): number {
  const quarter = Math.round(angle / QUARTER) * QUARTER;
  const direction = Math.abs(angle - quarter) <= TOLERANCE ? quarter : Math.round(angle);
  return ((direction % FULL_TURN) + FULL_TURN) % FULL_TURN;
}
