/**
 * Writes the commit of the build to dist/commit: GIT_COMMIT, or the commit of the checkout; nothing without either.
 * `lectern --version`, `/health` and the metrics report it.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

writeFileSync('dist/commit', process.env.GIT_COMMIT || commitOfCheckout());

function commitOfCheckout() {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return ''; // no checkout, such as in the build of the image
  }
}
