/** Mail apps at two machines with one database: a longer run than `src/doors/imap/sessions.test.ts`, with new seeds each time. */
import { test } from 'node:test';
import { arenaOf } from '../support/imap/arena.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { runApps } from '../support/imap/sessions.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';

const RUNS = 5;

test('mail apps at two machines show the state of the mailbox, even after they were disconnected', async (t) => {
  await using db = await testDatabase();
  const env = { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'http,imap' };
  await using one = await startService({ env });
  await using two = await startService({ env });
  for (let run = 0; run < RUNS; run++) {
    const { mailbox, user, password } = await serviceMailbox(one, `anna${run}`);
    const places = [one, two].map(({ imapPort }) => ({ host: '127.0.0.1', port: imapPort, user, password }));
    const seed = Math.floor(Math.random() * 2 ** 31);
    t.diagnostic(`seed ${seed}`);
    await runApps(await arenaOf(db.database, mailbox, places), { seed, rounds: 4, steps: 60 });
  }
});
