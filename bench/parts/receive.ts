/**
 * Measures how many messages are received per second, with all checks and durable storage; how receiving affects accepting with the API;
 * and the delay from the server's 250 reply until another process is notified of the message.
 */
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dkimRecord, encodePublicKey } from '../../src/rfc/dkim/record.ts';
import { signDkim } from '../../src/rfc/dkim/sign.ts';
import { MailNotices } from '../../src/store/notices.ts';
import { startPostfix } from '../baselines/postfix.ts';
import { startDns } from '../support/dns.ts';
import { measureApi } from '../support/load.ts';
import { openConnection, sendMail } from '../support/mail-source.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { freePort } from '../support/ports.ts';
import { startProduct } from '../support/product.ts';
import { median, percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';

const BYTES = 4_096;
const CONNECTIONS = 16;
/** How many different messages are sent, because identical bytes would be stored only once. */
const MESSAGES = 500;
const SENDER = 'acme.example';
/** How many connections send mail when the server is far from its limit, as on a busy day. */
const CALM_CONNECTIONS = 2;
const NOTICE_PAUSE_MS = 10;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

async function makeMessages(isSigned: boolean): Promise<Buffer[]> {
  const messages: Buffer[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    const header = [
      `From: Alice <alice@${SENDER}>`,
      'To: bob@src.test',
      `Subject: Message ${n}`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${isSigned ? 's' : 'u'}${n}.${Date.now()}@${SENDER}>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
    ].join('\r\n');
    const line = `The quick brown fox number ${n} jumps over the lazy dog and goes on.\r\n`;
    const body = Buffer.from(line.repeat(Math.ceil((BYTES - header.length) / line.length)));
    const fields = isSigned
      ? await signDkim(
          { header, body },
          [{ domain: SENDER, selector: 's1', algorithm: 'rsa-sha256', privateKey: rsa.privateKey }],
          { timestamp: Math.floor(Date.now() / 1_000) },
        )
      : '';
    messages.push(Buffer.concat([Buffer.from(`${fields}${header}\r\n`), body]));
  }
  return messages;
}

export async function receive(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const durationMs = quick ? 500 : 3_000;
  const dns = await startDns(folder, {
    [SENDER]: { TXT: ['v=spf1 ip4:127.0.0.1 -all'], A: ['127.0.0.1'] },
    [`s1._domainkey.${SENDER}`]: { TXT: [dkimRecord('rsa-sha256', encodePublicKey(rsa.publicKey))] },
    [`_dmarc.${SENDER}`]: { TXT: ['v=DMARC1; p=none'] },
    [`mx.${SENDER}`]: { A: ['127.0.0.1'] },
    '1.0.0.127.in-addr.arpa': { PTR: [`mx.${SENDER}`] },
  });
  const smtpPort = await freePort();
  const product = await startProduct(join(folder, 'product'), {
    POSTHORN_SMTP_PORT: String(smtpPort),
    POSTHORN_DNS: dns,
  });
  const token = await product.createKey();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const api = `http://127.0.0.1:${product.port}/v1`;
  const domains = (await (await fetch(`${api}/domains`, { headers })).json()) as {
    data: { id: string; is_hosted: boolean }[];
  };
  const domain_id = domains.data.find(({ is_hosted }) => is_hosted)?.id;
  for (const local_part of [...Array.from({ length: CONNECTIONS }, (_, n) => `bob${n}`), 'watched'])
    await fetch(`${api}/mailboxes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ domain_id, local_part, quota_mb: 100_000 }),
    });
  const postfix = context.postfixMissing === null ? await startPostfix(folder) : null;

  const ofApi = () => measureApi(product.port, token, durationMs);
  const messagesOf = { unsigned: await makeMessages(false), signed: await makeMessages(true) };
  const runs = new Runs();
  const [watched] = await product.query<{ id: string }>(
    "select id from mailboxes where local_part = 'watched'",
  );
  const noticeAfter = (durationMs: number) =>
    watchNotices({
      smtpPort,
      databaseUrl: product.databaseUrl,
      mailboxId: watched?.id ?? '',
      durationMs,
      messages: messagesOf.signed,
    });
  for (const round of rounds(context, 1)) {
    const alone = await ofApi();
    runs.add('api alone', alone.p99Ms);
    for (const kind of ['unsigned', 'signed'] as const) {
      const source = {
        port: smtpPort,
        to: (at: number) => `bob${at}@src.test`,
        connections: CONNECTIONS,
        durationMs,
        messages: messagesOf[kind],
      };
      const { perSecond, p99Ms } = await sendMail(source);
      runs.add(kind, perSecond);
      const [beside] = await Promise.all([ofApi(), sendMail({ ...source, durationMs: durationMs + 400 })]);
      runs.add(`api beside ${kind}`, beside.p99Ms);
      log(
        `round ${round}, ${kind}: ${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms; API p99 ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside it`,
      );
    }
    const [notice] = await Promise.all([
      noticeAfter(durationMs),
      sendMail({
        port: smtpPort,
        to: (at) => `bob${at}@src.test`,
        connections: CALM_CONNECTIONS,
        durationMs: durationMs + 400,
        messages: messagesOf.signed,
      }).then(({ perSecond }) => log(`round ${round}, beside the notices: ${Math.round(perSecond)}/s`)),
    ]);
    runs.add('notice', notice);
    if (postfix === null) continue;
    const { acceptPerSecond } = await postfix.acceptThenDrain(BYTES, quick ? 200 : 3_000);
    log(`round ${round}, postfix: ${Math.round(acceptPerSecond)}/s`);
    runs.add('postfix', acceptPerSecond);
  }
  const alone = runs.of('api alone');
  const beside = (kind: string): Row => ({
    measure: `API accept p99 beside ${kind} mail being received, increase over alone`,
    note: `${showMs(runs.of(`api beside ${kind}`))} ms, alone ${showMs(alone)}`,
    unit: 'ms',
    runs: runs.of(`api beside ${kind}`).map((ms, round) => ms - (alone[round] ?? 0)),
    goal: { on: 'value', sense: 'at most', limit: 50 },
  });
  const received = (kind: string, limit: number): Row => ({
    measure: `messages of 4 kB received, ${kind}, with all checks`,
    unit: '/s',
    runs: runs.of(kind),
    ...(postfix !== null && { baseline: { name: 'Postfix accepts', runs: runs.of('postfix') } }),
    goal: { on: 'value', sense: 'at least', limit },
  });
  return [
    received('unsigned', 800),
    received('signed', 400),
    beside('unsigned'),
    beside('signed'),
    {
      measure: `from the 250 to the notice in another process, with mail on ${CALM_CONNECTIONS} other connections: p99`,
      unit: 'ms',
      runs: runs.of('notice'),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
  ];
}

/**
 * Sends one message after the other to a mailbox without other mail. Listens for notices, as a process that shows the mailbox does.
 * @returns the 99th percentile of the delay from the server's 250 reply to the notice, in ms
 */
async function watchNotices(options: {
  smtpPort: number;
  databaseUrl: string;
  mailboxId: string;
  durationMs: number;
  messages: readonly Buffer[];
}): Promise<number> {
  const { smtpPort, databaseUrl, mailboxId, durationMs, messages } = options;
  await using notices = new MailNotices(databaseUrl);
  const listening = Promise.withResolvers<void>();
  let onNotice = (_atMs: number): void => {};
  using _ = notices.subscribe(mailboxId, (folderId) => {
    if (folderId === null) listening.resolve();
    else onNotice(performance.now());
  });
  await listening.promise;
  const connection = await openConnection(smtpPort);
  const delays: number[] = [];
  const endMs = performance.now() + durationMs;
  for (let at = 0; performance.now() < endMs; at++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    onNotice = resolve;
    const answeredMs = await connection.send('watched@src.test', messages[at % messages.length] as Buffer);
    // The notice may arrive before the 250 reply, so count a negative delay as 0.
    delays.push(Math.max(0, (await promise) - answeredMs));
    await sleep(Math.random() * NOTICE_PAUSE_MS);
  }
  await connection.end();
  return percentile(
    delays.toSorted((a, b) => a - b),
    0.99,
  );
}

function showMs(runs: readonly number[]): string {
  return median(runs).toFixed(1);
}
