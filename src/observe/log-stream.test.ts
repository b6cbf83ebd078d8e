import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const MODULE = new URL('log-stream.ts', import.meta.url).href;
/** A program that exits like the processes of the service, and reports lost lines on stdout. */
const PROGRAM = `
  import { LogStream } from ${JSON.stringify(MODULE)};
  const stream = new LogStream({ onLost: (lines) => console.log('lost ' + lines) });
  process.once('exit', stream.flushAtExit);
  const line = (fields, size = 0) => stream.write(JSON.stringify({ ...fields, x: 'ü'.repeat(size) }) + '\\n');
  const turn = () => new Promise((resolve) => setImmediate(resolve));
`;

type Program = ChildProcessByStdio<null, Readable, Readable>;

function args(program: string): string[] {
  return ['--input-type=module', '--eval', `${PROGRAM}${program}`];
}

function run(program: string): Program {
  return spawn(process.execPath, args(program), { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function nextOutput({ stdout }: Program): Promise<string> {
  const [chunk] = (await once(stdout, 'data')) as [Buffer];
  return String(chunk);
}

const parsed = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { of: string; n: number });

const THREE = '"$@" & "$@" & "$@" & wait';
const READERS = [
  { kind: 'socket', shell: THREE },
  { kind: 'pipe', shell: `{ ${THREE}; } 2>&1 >/dev/null | { sleep 0.3; cat >&2; }` },
];
for (const { kind, shell } of READERS) {
  test(`concurrent processes log whole lines in order through a slow ${kind}`, async () => {
    const LINES = 1_000;
    const program = `for (let n = 0; n < ${LINES}; n++) {
      line({ of: process.pid, n }, (n * 37) % 700);
      if (n % 50 === 0) await turn();
    }`;
    const three = spawn('sh', ['-c', shell, 'sh', process.execPath, ...args(program)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // Read nothing until the pipe or socket is full.
    await once(three.stderr, 'readable');
    const byProcess = Map.groupBy(parsed(await text(three.stderr)), ({ of }) => of);
    assert.equal(byProcess.size, 3);
    for (const each of byProcess.values())
      assert.deepEqual(
        each.map(({ n }) => n),
        Array.from({ length: LINES }, (_, n) => n),
      );
  });
}

test('a stopped reader of the log does not block the process, and later receives the number of lost lines', async () => {
  const LINES = 20_000;
  const child = run(`
    for (let n = 0; n < ${LINES}; n++) {
      line({ n }, 500);
      if (n % 100 === 0) await turn();
    }
    console.log('written');
    setInterval(() => {}, 1_000);
  `);
  assert.match(await nextOutput(child), /written/);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('latin1')));
  const lost = Number(/lost (\d+)/.exec(await nextOutput(child))?.[1]);
  child.kill();
  await once(child, 'close');
  assert.ok(lost > 0);
  assert.equal(log.trimEnd().split('\n').length, LINES - lost);
});

test('lines that are logged just before the process exits are written', async () => {
  const child = run(`line({ n: 1 }, 10_000); line({ n: 2 }); process.exit(0);`);
  assert.deepEqual(
    parsed(await text(child.stderr)).map(({ n }) => n),
    [1, 2],
  );
});

test('a process keeps running after the reader of its log has exited', async () => {
  const child = run(`
    setTimeout(() => process.exit(7), 200);
    for (let n = 0; ; n++) { line({ n }, 100); await turn(); }
  `);
  child.stderr.destroy();
  assert.deepEqual(await once(child, 'exit'), [7, null]);
});

test('lines can be logged to a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-log-'));
  try {
    const path = join(folder, 'log');
    const child = spawn(process.execPath, args(`line({ n: 1 }); await turn(); line({ n: 2 });`), {
      stdio: ['ignore', 'ignore', openSync(path, 'w')],
    });
    await once(child, 'exit');
    assert.deepEqual(
      parsed(readFileSync(path, 'utf8')).map(({ n }) => n),
      [1, 2],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
