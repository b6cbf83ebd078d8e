/** Compares the types of events and messages of routes with the bodies and the code shown in docs/webhooks.md and docs/routes.md. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const SDK = join(import.meta.dirname, 'src/index.ts');

test('each of the ten documented bodies matches the type of its event, field for field', async () => {
  const page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');
  const bodies = [...page.matchAll(/^```json\n(\{.*?^\})\n```$/gms)].map(([, json]) => String(json));
  const types = bodies.map((json) => (JSON.parse(json) as { type: string }).type);
  assert.equal(new Set(types).size, 10);

  // `satisfies` fails if the body or the type has a field that the other lacks.
  const checks = bodies.map(
    (json, n) =>
      `export const body${n} = ${json} satisfies Extract<WebhookEvent, { type: '${types[n]}' }>;\n`,
  );
  assert.equal(await typeErrors(`import type { WebhookEvent } from '${SDK}';\n${checks.join('')}`), '');
});

test('the documented message of a route matches its type, and the receiver for routes compiles', async () => {
  const page = await readFile(join(ROOT, 'docs/routes.md'), 'utf8');
  const json = /^```json\n(.*?)\n```$/ms.exec(page)?.[1];
  const receiver = /^```ts\n(.*?)^```$/ms.exec(page)?.[1];
  assert.ok(json !== undefined && receiver !== undefined);
  assert.match(receiver, /'@posthorn\/sdk'/);
  const source = `import type { RouteMessage } from '${SDK}';\nexport const body = ${json} satisfies RouteMessage;\n`;
  assert.equal(await typeErrors(source + receiver.replace("'@posthorn/sdk'", `'${SDK}'`)), '');
});

/** @returns the errors that TypeScript reports for a module, which can use Node. Empty if it compiles */
async function typeErrors(source: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-events-'));
  try {
    await writeFile(join(folder, 'module.mts'), source);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: {
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
          lib: ['es2022', 'dom'],
        },
        include: ['module.mts'],
        exclude: [],
      }),
    );
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { stdout } = await run(tsc, ['-p', folder]).catch((error: { stdout: string }) => error);
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}
