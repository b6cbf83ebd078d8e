/** A process that files notices and locks mailboxes in an endless loop. A test kills the process. */
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { openDatabase } from '../../src/db/database.ts';
import { SendingJudge } from '../../src/sending/locks/sending-judge.ts';
import { Notices } from '../../src/sending/notices/notices.ts';

const [url = '', folder = ''] = process.argv.slice(2);
const database = openDatabase(url);
const logger = pino({ enabled: false });
const blobs = new Blobs(database, new ObjectFiles(folder));
const notices = new Notices({ database, blobs, hostname: 'mail.example', logger });
const judge = new SendingJudge({ database, logger });
process.stdout.write('ready\n');
// Wait until all processes are ready, so that they compete.
await once(process.stdin, 'data');
for (;;) {
  await notices.scan();
  await judge.scan();
  await setImmediate();
}
