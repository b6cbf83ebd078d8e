/**
 * Measures how many messages from mail apps are committed and queued per second; the delay from the server's 250 reply until a mail app in
 * IDLE is notified of local mail; and how large submissions affect accepting with the API.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostfix } from '../baselines/postfix.ts';
import { ImapConnection } from '../support/imap.ts';
import { measureApi } from '../support/load.ts';
import { openConnection } from '../support/mail-source.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { pauseWorkers, untilDrained } from '../support/paused-queue.ts';
import { freePort } from '../support/ports.ts';
import { startProduct } from '../support/product.ts';
import { median, percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const BYTES = 4_096;
const CONNECTIONS = 20;
const LARGE_BYTES = 30 * 1024 * 1024;
const PASSWORD = 'correct-horse-battery';
const SENDER = { user: 'sender@src.test', password: PASSWORD };
const WATCHED = { user: 'watched@src.test', password: PASSWORD };
const LINE = 'The quick brown fox jumps over the lazy dog and goes on for a while.\r\n';
const FILE_LINE = `${'QUJD'.repeat(19)}\r\n`;

let serial = 0;

/** A unique message, because a repeated message would not be sent again. */
function messageOf(octets: number): Buffer {
  const header = `From: ${SENDER.user}\r\nTo: bob@src.test\r\nSubject: Message\r\nDate: ${new Date().toUTCString().replace('GMT', '+0000')}\r\nMessage-ID: <${Date.now()}.${++serial}@src.test>\r\n\r\n`;
  return Buffer.from(header + LINE.repeat(Math.ceil((octets - header.length) / LINE.length)));
}

/** A message with two attachments of 11 MB, encoded as mail apps encode attachments. */
function largeMessage(): Buffer {
  const head = `From: ${SENDER.user}\r\nSubject: Large\r\nMessage-ID: <${Date.now()}.${++serial}@src.test>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
  const file = `--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment\r\n\r\n${FILE_LINE.repeat(Math.floor(LARGE_BYTES / 2 / FILE_LINE.length))}`;
  return Buffer.from(`${head}${file}${file}--b--\r\n`);
}

export async function submission(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const durationMs = quick ? 500 : 3_000;
  const [port, imapPort] = [await freePort(), await freePort()];
  const product = await startProduct(join(folder, 'product'), {
    POSTHORN_SUBMISSION_PORT: String(port),
    POSTHORN_IMAP_PORT: String(imapPort),
  });
  const token = await product.createKey();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const api = `http://127.0.0.1:${product.port}/v1`;
  const domains = (await (await fetch(`${api}/domains`, { headers })).json()) as {
    data: { id: string; is_hosted: boolean }[];
  };
  const domain_id = domains.data.find(({ is_hosted }) => is_hosted)?.id;
  for (const local_part of ['sender', 'watched'])
    await fetch(`${api}/mailboxes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ domain_id, local_part, password: PASSWORD, quota_mb: 100_000 }),
    });
  const postfix = context.postfixMissing === null ? await startPostfix(folder) : null;
  const ofApi = () => measureApi(product.port, token, durationMs);
  const runs = new Runs();
  for (const round of rounds(context, 2)) {
    const idle = await noticeAfter(port, imapPort, durationMs);
    runs.add('notice', idle.p99Ms);
    runs.add('first notice', idle.firstMs);
    // No mail is delivered during this run, as in the comparison with Postfix below.
    const resume = pauseWorkers(product);
    const perSecond = await submitFor(port, durationMs);
    resume();
    await untilDrained(product);
    runs.add('submitted', perSecond);
    log(
      `round ${round}: ${Math.round(perSecond)}/s; notice p99 ${idle.p99Ms.toFixed(1)} ms, first after ${idle.firstMs.toFixed(0)} ms`,
    );
    if (postfix === null) continue;
    const { acceptPerSecond } = await postfix.acceptThenDrain(BYTES, quick ? 200 : 3_000);
    log(`round ${round}, postfix: ${Math.round(acceptPerSecond)}/s`);
    runs.add('postfix', acceptPerSecond);
  }
  const alone = await ofApi();
  const stop = new AbortController();
  const large = submitLarge(port, stop.signal, quick);
  await sleep(quick ? 100 : 500);
  const beside = await ofApi();
  stop.abort();
  const { accepted, deferrals } = await large;
  runs.add('put off', deferrals);
  runs.add('api', beside.p99Ms - alone.p99Ms);
  log(
    `API p99 ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside ${accepted} large messages`,
  );
  return [
    {
      measure: `submissions of 4 kB over ${CONNECTIONS} persistent connections, committed and queued`,
      unit: '/s',
      runs: runs.of('submitted'),
      ...(postfix !== null && {
        baseline: { name: 'Postfix accepts', runs: runs.of('postfix') },
        goal: { on: 'ratio', sense: 'at least', limit: 0.7 } as const,
      }),
    },
    {
      measure: 'from the 250 to `* n EXISTS` in an IDLE mail app, without other load: p99',
      unit: 'ms',
      runs: runs.of('notice'),
      goal: { on: 'value', sense: 'at most', limit: 150 },
    },
    {
      measure: 'the same for the first message after a quiet period, whose idle threads have ended',
      unit: 'ms',
      runs: runs.of('first notice'),
    },
    {
      measure: `API accept p99 beside ${CONNECTIONS} mail apps that submit 30 MB each, increase over alone`,
      note: `${median(runs.of('api')).toFixed(1)} ms more`,
      unit: 'ms',
      runs: runs.of('api'),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
    {
      measure: `submissions of 30 MB by ${CONNECTIONS} mail apps that are deferred`,
      unit: '',
      runs: runs.of('put off'),
      goal: { on: 'value', sense: 'at most', limit: 0 },
    },
  ];
}

/** Submits messages over several connections. @returns messages per second */
async function submitFor(port: number, durationMs: number): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection(port, SENDER)),
  );
  const startedMs = performance.now();
  let count = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < startedMs + durationMs) {
        await connection.send('nobody@dst.test', messageOf(BYTES));
        count += 1;
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  await Promise.all(connections.map((connection) => connection.end()));
  return count / seconds;
}

/** Submits large messages and retries deferred submissions. @returns the numbers of accepted messages and deferrals */
async function submitLarge(
  port: number,
  signal: AbortSignal,
  isQuick: boolean,
): Promise<{ accepted: number; deferrals: number }> {
  const message = largeMessage();
  let accepted = 0;
  let deferrals = 0;
  await Promise.all(
    Array.from({ length: isQuick ? 2 : CONNECTIONS }, async () => {
      while (!signal.aborted) {
        const connection = await openConnection(port, SENDER);
        try {
          await connection.send('nobody@dst.test', message);
          accepted += 1;
          await connection.end();
        } catch {
          deferrals += 1;
          connection.drop();
          await sleep(100);
        }
      }
    }),
  );
  return { accepted, deferrals };
}

/** The 99th percentile of the notice delay. Excludes the first message, because its delay includes the start of threads. */
async function noticeAfter(
  port: number,
  imapPort: number,
  durationMs: number,
): Promise<{ firstMs: number; p99Ms: number }> {
  const watcher = await ImapConnection.signIn({ port: imapPort, ...WATCHED });
  await watcher.time('SELECT INBOX');
  let onNotice = (_atMs: number): void => {};
  // Only one message is in transit at a time, so the next EXISTS is for that message. The line may arrive in two chunks.
  let received = '';
  watcher.onChunk = (chunk) => {
    received += chunk.toString('latin1');
    if (!/^\* \d+ EXISTS\r\n/m.test(received)) return;
    received = '';
    onNotice(performance.now());
  };
  await watcher.idle();
  const connection = await openConnection(port, SENDER);
  const delays: number[] = [];
  const endMs = performance.now() + durationMs;
  while (delays.length < 2 || performance.now() < endMs) {
    const { promise, resolve } = Promise.withResolvers<number>();
    onNotice = resolve;
    const answeredMs = await connection.send(WATCHED.user, messageOf(BYTES));
    delays.push(Math.max(0, (await promise) - answeredMs));
    await sleep(Math.random() * 20);
  }
  await connection.end();
  watcher.close();
  const [firstMs = 0, ...others] = delays;
  return {
    firstMs,
    p99Ms: percentile(
      others.toSorted((one, other) => one - other),
      0.99,
    ),
  };
}
