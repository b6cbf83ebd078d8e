/** A process that checks for problems and sends messages in an endless loop. A test kills the process. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { AlertWatch } from '../../src/alerts/alert-watch.ts';
import { MessageSender } from '../../src/alerts/message-sender.ts';
import { slackChannel } from '../../src/alerts/slack.ts';
import type { Health } from '../../src/contract/dashboard/health.ts';
import { openDatabase } from '../../src/db/database.ts';
import { checkSecret } from '../../src/db/seal.ts';
import { GuardedClient } from '../../src/net/guarded-client.ts';
import { SECRET } from './postgres.ts';

const [url = ''] = process.argv.slice(2);
const STOPPED: Health = {
  state: 'stopped',
  since: '2026-01-01T00:00:00.000Z',
  waiting: { emails: 0, is_more: false },
  causes: [],
};
const database = openDatabase(url);
const sealer = await checkSecret(database, SECRET);
const logger = pino({ enabled: false });
const watch = new AlertWatch({
  database,
  health: { read: async () => STOPPED, readInstallation: async () => ({ health: STOPPED, concerns: [] }) },
  trustsManualVerification: false,
  keepDays: null,
  host: 'one.example',
  logger,
  timings: { checkMs: 0, settleMs: 0, rest: 0 },
});
const client = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 5 });
const channels = { slack: slackChannel(client) };
const baseUrl = () => 'https://mail.acme.example';
const sender = new MessageSender({ database, sealer, channels, baseUrl, logger });
process.stdout.write('ready\n');
// Wait until all processes are ready, so that they compete.
await once(process.stdin, 'data');
for (;;) {
  await Promise.all([watch.scan(), sender.send()]);
  await setImmediate();
}
