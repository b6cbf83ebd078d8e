import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { Slot } from './slot.ts';
import { SupervisorLog } from './terminal.ts';

const PATIENCE_MS = 15_000;

/** The process ids of the running children of this process. */
function children(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [state, parent] =
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        return Number(parent) === process.pid && state !== 'Z';
      } catch {
        return false;
      }
    });
}

test('a child is restarted even if the system rejects the first attempt to replace it', async () => {
  let starts = 0;
  const env = {
    ...process.env,
    // This variable is longer than the system allows, so `fork` fails in the same way as without free memory.
    get POSTHORN_TEST() {
      starts += 1;
      return starts === 2 ? 'x'.repeat(200_000) : '';
    },
  };
  const settings = {
    databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
    secret: '',
    ports: {
      http: 0,
      https: 0,
      smtp: 0,
      devSmtp: 0,
      submission: 0,
      submissions: 0,
      imap: 0,
      imaps: 0,
      pop3: 0,
      pop3s: 0,
    },
  };
  const slot = new Slot(
    'none',
    [],
    env,
    new SupervisorLog('warn'),
    () => {},
    () => {},
  );
  await slot.start(settings);
  const kept = slot.keep(settings);
  const [first] = children();
  assert.ok(first !== undefined);
  process.kill(first, 'SIGKILL');
  assert.ok(await eventually(() => starts === 3 && children().length === 1, PATIENCE_MS));
  await slot.stop();
  await kept;
  assert.equal(children().length, 0);
});
