/** Checks all imports against the table "Which way imports point" in docs/architecture.md. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite, test } from 'node:test';
import { ModuleTable } from '../test/support/modules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const document = readFileSync(`${root}docs/architecture.md`, 'utf8');
const [, section = ''] = /\n## Which way imports point\n(.*?)\n## /s.exec(document) ?? [];
const modules = new ModuleTable(section);
const sources = globSync(['src/**/*.{ts,js}', 'sdk/{src,generator}/**/*.ts', 'web/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules') || path.startsWith('web/dist'),
}).filter((path) => !/\.(?:test|fixture)\.tsx?$/.test(path));

/** Files outside all modules: package.json, the entry points of processes, and the build of the pages. */
const isOutside = (path: string) => ['.', 'src', 'web'].includes(dirname(path));

/** The imports and exports that are loaded together with the file. */
const LOADED_AT_START = /^(?:import|export) (?!type )(?:[^;']*? from )?'([^']+)';$/gm;

suite('modules of docs/architecture.md', () => {
  test('import only the modules that the table allows', () => {
    const violations = sources
      .filter((path) => !isOutside(path))
      .flatMap((path) => modules.violations(path, readFileSync(`${root}${path}`, 'utf8'), isOutside));
    assert.deepEqual(violations, []);
  });

  test('declare operations with imports from contract and model only, so that browser pages can use the types', () => {
    const declarations = sources.filter((path) => /^src\/(?!doors\/).*\/operations\.ts$/.test(path));
    assert.ok(declarations.length > 20);
    for (const path of declarations)
      for (const [, from = ''] of readFileSync(`${root}${path}`, 'utf8').matchAll(/ from '([^']+)';$/gm))
        assert.match(
          join(dirname(path), from),
          /^src\/(?:contract|model)\/[\w/-]+\.ts$/,
          `${path} imports ${from}`,
        );
  });

  test('load the public suffix list (6 MB) in processes that submit mail only on use', () => {
    const loaded = new Set<string>();
    const load = (path: string): void => {
      if (loaded.has(path) || !path.endsWith('.ts')) return;
      loaded.add(path);
      for (const [, from = ''] of readFileSync(`${root}${path}`, 'utf8').matchAll(LOADED_AT_START))
        load(from.startsWith('.') ? join(dirname(path), from) : from);
    };
    for (const role of ['submission', 'worker']) load(`src/app/${role}-role.ts`);
    assert.ok(loaded.has('src/sending/submit/check-identities.ts'));
    assert.ok(!loaded.has('src/domains/domain-name.ts'));
    assert.ok(!loaded.has('src/receiving/forward/redirected.ts'));
  });

  test('have at least one file each', () => {
    const used = new Set(sources.map((path) => modules.moduleOf(path)));
    assert.deepEqual(
      modules.names.filter((name) => !used.has(name)),
      [],
    );
  });
});

suite('a table of modules', () => {
  const small = new ModuleTable(`
| module | may import |
|---|---|
| \`low\` | nothing |
| \`left\`, \`right\` | \`low\` |
| \`right/inner\` | all above but \`left\` |
| \`web/pages\` | nothing |
`);
  const lines = (path: string, text: string) =>
    small.violations(path, text, (other) => other === 'src/start.ts');
  const allowed = [
    ['src/left/a.ts', `import { b } from '../low/b.ts';`],
    ['src/left/a.ts', `import { b } from './b.ts';`],
    ['src/left/a.ts', `import { start } from '../start.ts';`],
    ['src/right/inner/a.ts', `import type { b } from '../b.ts';`],
    ['src/left/a.ts', `new Worker(new URL('../right/thread.ts', import.meta.url))`],
  ] as const;
  for (const [path, text] of allowed)
    test(`allows ${text} in ${path}`, () => assert.deepEqual(lines(path, text), []));

  const forbidden = [
    ['src/low/a.ts', `import { b } from '../left/b.ts';`, /low may not import left$/],
    ['src/left/a.ts', `export * from '../right/b.ts';`, /left may not import right$/],
    ['src/left/a.ts', `import type { B } from '../right/b.ts';`, /left may not import right$/],
    ['src/left/a.ts', `await import('../right/b.ts')`, /left may not import right$/],
    ['src/left/a.ts', `import '../right/b.ts';`, /left may not import right$/],
    ['src/right/a.ts', `import { b } from './inner/b.ts';`, /right may not import right\/inner$/],
    ['src/right/inner/a.ts', `import { b } from '../../left/b.ts';`, /right\/inner may not import left$/],
    ['web/pages/a.ts', `import { b } from '../../src/low/b.ts';`, /web\/pages may not import low$/],
    ['src/left/a.ts', `import { b } from '../../test/support/b.ts';`, /may not import files in no module$/],
    ['src/new/a.ts', '', /^src\/new\/a\.ts is in no module$/],
  ] as const;
  for (const [path, text, expected] of forbidden)
    test(`forbids ${text || 'a file'} in ${path}`, () =>
      assert.match(lines(path, text).join('\n'), expected));

  for (const cell of ['everything', '', '`nowhere`', 'all below'])
    test(`is rejected with "${cell}"`, () =>
      assert.throws(() => new ModuleTable(`| \`low\` | ${cell} |`), /Cannot parse/));
});
