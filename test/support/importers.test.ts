import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Importers } from './importers.ts';

const importers = new Importers(
  new Map([
    ['src/a/base.ts', `import 'node:fs';`],
    ['src/a/user.ts', `import { base } from './base.ts';\nimport './gone.ts';`],
    ['src/a/user.test.ts', `import { user } from "./user.ts";`],
    ['src/b/worker.ts', `import type { Base } from '../a/base.ts';`],
    ['src/b/threads.test.ts', 'new URL(`./worker.ts`, import.meta.url)'],
    ['src/app/core.ts', `import '../a/user.ts';\nconst load = () => import('../b/circle.ts');`],
    ['src/app/core.test.ts', `import './core.ts';`],
    ['src/b/circle.ts', `import '../app/core.ts';`],
  ]),
);
const none = () => false;
const isApp = (path: string) => path.startsWith('src/app/') && !path.endsWith('.test.ts');

for (const [name, of, isHub, expected] of [
  ['a file without importers has no result', 'src/b/threads.test.ts', none, []],
  [
    'importers are found through imports, dynamic imports and paths of workers',
    'src/a/base.ts',
    none,
    [
      'src/a/user.test.ts',
      'src/a/user.ts',
      'src/app/core.test.ts',
      'src/app/core.ts',
      'src/b/circle.ts',
      'src/b/threads.test.ts',
      'src/b/worker.ts',
    ],
  ],
  ['importers of a hub are not found', 'src/a/user.ts', isApp, ['src/a/user.test.ts', 'src/app/core.ts']],
  [
    'importers of a hub are found if the hub is the changed file, despite circular imports',
    'src/app/core.ts',
    isApp,
    ['src/app/core.test.ts', 'src/b/circle.ts'],
  ],
] as const) {
  void test(name, () => {
    const reached = importers.reach([of], isHub);
    reached.delete(of);
    assert.deepEqual([...reached].toSorted(), expected);
  });
}
