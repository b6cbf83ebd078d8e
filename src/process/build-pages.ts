/** Builds the browser applications before the service starts, if their sources are present and have changed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { areStale } from './page-sources.ts';
import { print } from './terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The maximum number of characters to show from a build's output. */
const MAX_SHOWN = 2_000;

/** Never throws. If the build fails, the service serves the old pages, or a page that says how to build the applications. */
export async function buildPages(): Promise<void> {
  if (!areStale()) return;
  print('Building the pages of the dashboard.');
  const build = spawn(process.execPath, [join(ROOT, 'web/build.ts'), '--if-stale'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  build.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-MAX_SHOWN);
  });
  const [code] = (await once(build, 'close')) as [number | null];
  if (code !== 0)
    print(
      `${said.trim()}\nThe pages of the dashboard could not be built. Run npm ci to install the build tools.`,
    );
}
