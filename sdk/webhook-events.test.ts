/** Compares the types of events with the bodies shown in docs/webhooks.md. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

test('each of the ten documented bodies matches the type of its event, field for field', async () => {
  const page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');
  const bodies = [...page.matchAll(/^```json\n(\{.*?^\})\n```$/gms)].map(([, json]) => String(json));
  const types = bodies.map((json) => (JSON.parse(json) as { type: string }).type);
  assert.equal(new Set(types).size, 10);

  const folder = await mkdtemp(join(tmpdir(), 'posthorn-events-'));
  try {
    // `satisfies` fails if the body or the type has a field that the other lacks.
    const checks = bodies.map(
      (json, n) =>
        `export const body${n} = ${json} satisfies Extract<WebhookEvent, { type: '${types[n]}' }>;\n`,
    );
    const events = join(import.meta.dirname, 'src/generated.ts');
    const source = `import type { WebhookEvent } from '${events}';\n${checks.join('')}`;
    await writeFile(join(folder, 'bodies.mts'), source);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { types: [], lib: ['es2022', 'dom'] },
        include: ['bodies.mts'],
        exclude: [],
      }),
    );
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { stdout } = await run(tsc, ['-p', folder]).catch((error: { stdout: string }) => error);
    assert.equal(stdout, '');
  } finally {
    await rm(folder, { recursive: true });
  }
});
