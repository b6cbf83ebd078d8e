// Runs in its own process: it changes the time zone.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { lineForPeople } from './terminal-lines.ts';

// The expected times are in UTC.
process.env['TZ'] = 'UTC';
const COMMON = { time: '2026-11-21T15:04:05.161Z', pid: 4711, roles: ['worker'] };
const shown = (entry: object, hasColors = false) =>
  lineForPeople(`${JSON.stringify({ level: 'info', ...COMMON, ...entry })}\n`, hasColors);

const lines: [what: string, entry: object, line: string][] = [
  [
    'an attempt with its outcome',
    {
      projectId: 'prj_1',
      emailId: 'em_1',
      recipientIndex: 0,
      destination: 'example.com',
      attempt: 1,
      outcome: 'accepted',
      replyCode: 250,
      enhancedCode: '2.0.0',
      remoteHost: 'mx.example.com',
      tls: true,
      durationMs: 212,
      events: 'sent,delivered',
      msg: 'attempt ended',
    },
    'attempt ended em_1: for example.com, accepted, 250, 2.0.0, by mx.example.com, 212 ms, sent, delivered',
  ],
  [
    'a later attempt for another recipient, with the time of the next one',
    {
      emailId: 'em_1',
      recipientIndex: 2,
      attempt: 3,
      outcome: 'transient',
      tls: false,
      nextAttemptAt: '2026-11-21T15:09:00.000Z',
      msg: 'attempt ended',
    },
    'attempt ended em_1: recipient 2, attempt 3, transient, without TLS, again at 15:09:00',
  ],
  [
    'a warning',
    {
      level: 'warn',
      roles: ['supervisor'],
      of: ['http', 'smtp'],
      how: 'SIGKILL',
      nextInMs: 0,
      msg: 'a process ended',
    },
    'warning: a process ended: of http+smtp, SIGKILL, again in 0 ms',
  ],
  [
    'an error with its position in the code',
    {
      level: 'error',
      msg: 'request failed',
      err: {
        type: 'TypeError',
        message: 'no',
        stack: 'TypeError: no\n    at one (file:///a.ts:1:2)\n    at two',
      },
    },
    'error: request failed: TypeError: no (at one (file:///a.ts:1:2))',
  ],
  [
    'no control characters',
    { reason: '\u001b[2J\u202ea\nb\u009b', msg: 'not ready' },
    'not ready: ?[2J?a?b?',
  ],
];
for (const [what, entry, line] of lines) {
  test(`a terminal line shows ${what}`, () => {
    const roles = (entry as { roles?: string[] }).roles ?? COMMON.roles;
    assert.equal(shown(entry), `15:04:05.161 ${roles[0]?.padEnd(10)} ${line}\n`);
  });
}

test('a line with colors has the same text as a line without colors', () => {
  const entry = { level: 'warn', emailId: 'em_1', reason: 'x', msg: 'not ready' };
  assert.notEqual(shown(entry, true), shown(entry));
  assert.equal(shown(entry, true).replaceAll(/\u001b\[\d+m/g, ''), shown(entry));
});

// The program runs until its input ends. If it exited earlier, `script` would exit too, and lose the output that the kernel still buffers.
const PROGRAM = `
  import { createLogger } from './src/app/logger.ts';
  createLogger(['http'], 'info').info({ emailId: 'em_1' }, 'hello');
  process.stdin.resume();`;
const hasTerminal = spawnSync('script', ['--version']).error === undefined;

/** Returns the terminal output of a program that logs one line. */
async function atTerminal(command: string, env: Record<string, string>): Promise<string> {
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    // Do not pass on the environment of the test run: Node would also go by CI, FORCE_COLOR and others when it decides on colors.
    env: { PATH: process.env['PATH'], TERM: 'xterm', PROGRAM, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(terminal, 'close');
  let shown = '';
  for await (const text of terminal.stdout.setEncoding('utf8')) {
    shown += text;
    if (shown.endsWith('\n')) terminal.stdin.end();
  }
  await closed;
  return shown;
}

test('a terminal gets readable lines, in color unless NO_COLOR is set, and other outputs get JSON', {
  skip: !hasTerminal,
}, async () => {
  const run = `'${process.execPath}' --input-type=module -e "$PROGRAM"`;
  assert.match(await atTerminal(run, { NO_COLOR: '1' }), /^\d\d:\d\d:\d\d\.\d{3} http {7}hello em_1\r?\n$/);
  assert.match(await atTerminal(run, {}), /\u001b\[1mhello\u001b\[0m/);
  assert.match(await atTerminal(`${run} 2>&1 | cat`, {}), /^\{"level":"info",.*"msg":"hello"\}\r?\n$/);
});

test('a terminal stopped by Ctrl-S does not block the process, and gets the missed lines after Ctrl-Q', {
  skip: !hasTerminal,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-terminal-'));
  const alive = join(folder, 'alive');
  const program = `
    import { appendFileSync } from 'node:fs';
    import { createLogger } from './src/app/logger.ts';
    const logger = createLogger(['http'], 'info');
    let turn = 0;
    setInterval(() => {
      logger.info({ turn: ++turn, reason: 'x'.repeat(200) }, 'hello');
      appendFileSync('${alive}', '.');
    }, 5);
    process.stdin.resume().on('end', () => process.exit());`;
  const terminal = spawn(
    'script',
    ['-qec', `'${process.execPath}' --input-type=module -e "$PROGRAM"`, '/dev/null'],
    {
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', PROGRAM: program },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  try {
    const closed = once(terminal, 'close');
    let shown = '';
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    const turns = () => (existsSync(alive) ? statSync(alive).size : 0);
    assert.ok(await eventually(() => shown.includes('turn 1'), 10_000));
    terminal.stdin.write('\u0013');
    // In 200 turns, the program logs more lines than the kernel buffers for a terminal.
    const enough = turns() + 200;
    assert.ok(await eventually(() => turns() > enough, 10_000), 'the program waits for its terminal');
    assert.ok(!shown.includes(`turn ${enough}`));
    terminal.stdin.write('\u0011');
    assert.ok(await eventually(() => shown.includes(`turn ${enough}`), 10_000));
    terminal.stdin.end();
    await closed;
  } finally {
    terminal.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
