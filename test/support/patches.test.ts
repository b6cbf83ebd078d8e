import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkPatches, patched, protectionsIn } from './patches.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROTECTED = `
// protection: first
send(mayCommit());
sql\`update x
  -- protection: second
  where held\`;
`;

suite('a patch', () => {
  test('replaces a protected line', () => {
    const patch = { file: 'x.ts', protection: 'second', replace: '' };
    assert.equal(patched(PROTECTED, patch), PROTECTED.replace('  where held`;', ''));
    assert.deepEqual(protectionsIn(PROTECTED), ['first', 'second']);
  });

  test('throws if its protection is missing from the source or occurs twice', () => {
    const patch = { file: 'src/x.ts', protection: 'first', replace: 'send(true);' };
    assert.throws(() => patched('', patch), /^Error: src\/x\.ts has 0 lines "protection: first", not one$/);
    assert.throws(() => patched(PROTECTED + PROTECTED, patch), /has 2 lines/);
  });

  test('rejects a file that does not exist', () => {
    const patch = { file: 'src/none.ts', append: '' };
    assert.throws(() => checkPatches([patch]), /ENOENT/);
  });

  test('sets timings, and rejects a name that the folder does not have', async () => {
    const source = 'export const TIMINGS = { leaseMs: 30_000, delaysMs: [1, 2] };';
    const load = (values: object) => {
      const made = patched(source, { timings: 'src/queue', values });
      return import(`data:text/javascript,${encodeURIComponent(made)}`) as Promise<{ TIMINGS: unknown }>;
    };
    const { TIMINGS } = await load({ delaysMs: [3] });
    assert.deepEqual(TIMINGS, { leaseMs: 30_000, delaysMs: [3] });
    await assert.rejects(load({ leaseMS: 1 }), /src\/queue\/timings\.ts has no leaseMS/);
  });
});

test('each protection in the source has a fault test that removes it', () => {
  const read = (pattern: string) =>
    globSync(pattern, { cwd: ROOT }).map((file) => readFileSync(`${ROOT}${file}`, 'utf8'));
  const marked = read('src/**/*.ts').flatMap(protectionsIn);
  const controls = read('test/faults/*.test.ts').join('');
  assert.ok(marked.length > 5);
  for (const name of marked) assert.ok(controls.includes(`protection: '${name}'`), name);
});
