import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const QUICK_START = new URL('quick-start.js', import.meta.url).href;
/** Prints the names that Node itself resolves. Must be registered before the hook under test, because the first hook runs last. */
const PRINT_RESOLVED = `
  import { registerHooks } from 'node:module';
  const asked = [];
  registerHooks({ resolve(name, context, next) { asked.push(name); return next(name, context); } });
  process.once('exit', () => console.log(JSON.stringify(asked)));`;

const preload = (source: string) => ['--import', `data:text/javascript,${encodeURIComponent(source)}`];

/** Runs a program in `src` and parses its JSON output. */
function printed(args: readonly string[], program: string): unknown {
  const all = [...args, '--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, all, { cwd: import.meta.dirname, encoding: 'utf8' }));
}

test('with the hook, Node itself resolves none of our files, and resolves each package once', () => {
  const program = `await import('./observe/spans.ts'); await import('./observe/trace-parent.ts');`;
  const resolved = printed([...preload(PRINT_RESOLVED), '--import', QUICK_START], program) as string[];
  assert.deepEqual(
    resolved.filter((name) => name.endsWith('.ts')),
    [],
  );
  assert.equal(resolved.filter((name) => name === '@opentelemetry/api').length, 1);
});

test('with the hook, imports resolve to the same files as without the hook, and a missing file is an error', () => {
  const names = ['./main.js', './model/../start.ts', 'kysely', 'kysely/helpers/postgres', 'node:fs', 'pg'];
  const program = `
    const missing = [];
    for (const name of ['./no-such.ts', 'no-such-package']) await import(name).catch(() => missing.push(name));
    const found = ${JSON.stringify(names)}.map((name) => import.meta.resolve(name));
    console.log(JSON.stringify({ found, missing }));`;
  assert.deepEqual(printed(['--import', QUICK_START], program), {
    found: names.map((name) => import.meta.resolve(name)),
    missing: ['./no-such.ts', 'no-such-package'],
  });
});

test('the supervisor loads no package and no HTTP module', () => {
  const listed = `
    import { registerHooks } from 'node:module';
    globalThis.loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });`;
  const program = `await import('./process/supervisor.ts'); console.log(JSON.stringify(loaded));`;
  const loaded = printed(preload(listed), program) as string[];
  assert.ok(loaded.includes(pathToFileURL(`${import.meta.dirname}/process/supervisor.ts`).href));
  assert.deepEqual(
    loaded.filter((url) => /\/node_modules\/(?!tr46\/|punycode\/)|^node:http/.test(url)),
    [],
  );
});
