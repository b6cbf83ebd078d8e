/**
 * Kills the service while users save and send drafts in the web client. Each message exists once, as a draft, queued or sent, and every
 * confirmed change is stored.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { ImapFlow } from 'imapflow';
import { eventually } from '../support/eventually.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { SHORT_LEASE } from './support.ts';

const COMPOSERS = 4;
const PATCHES = [
  ...SHORT_LEASE,
  { timings: 'src/webmail/write', values: { undoMs: 300, claimMs: 500 } } as const,
];

interface Session {
  baseUrl: string;
  prefix: string;
  headers: Record<string, string>;
}

/** The subjects of drafts that were confirmed as saved, and of drafts that were confirmed as sent. */
interface Written {
  saved: Set<string>;
  sent: Set<string>;
}

async function signIn(service: Service, user: string, password: string): Promise<Session> {
  const { baseUrl } = service;
  const response = await fetch(`${baseUrl}/mail/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ address: user, password }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const { account } = (await response.json()) as { account: { mailbox: string; csrf_token: string } };
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return {
    baseUrl,
    prefix: `/mail/api/mailboxes/${account.mailbox}`,
    headers: { cookie, 'x-csrf-token': account.csrf_token, 'content-type': 'application/json' },
  };
}

/** Retries a request until the response is not 5xx. @returns null if the signal stops the retries before that */
async function ask(
  session: () => Session,
  method: string,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<{ status: number; body: { id: string; detail?: string } } | null> {
  while (!signal.aborted) {
    const { baseUrl, prefix, headers } = session();
    try {
      const response = await fetch(`${baseUrl}${prefix}${path}`, {
        method,
        headers: { ...headers, origin: baseUrl },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { id: string };
      if (response.status < 500) return { status: response.status, body: answer };
    } catch {
      // The request failed because the service is not running.
    }
    await wait(50);
  }
  return null;
}

/** Writes messages one after the other: saves each twice, then sends it. Retries requests without a response, as the pages do. */
async function write(
  session: () => Session,
  name: string,
  written: Written,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const subject = `${name}-${n}`;
    const draft = (text: string) => ({
      client: `composer-of-${subject}`.padEnd(16, '-'),
      to: [{ address: `${subject}@dst.test` }],
      subject,
      html: null,
      text,
    });
    const first = await ask(session, 'POST', '/drafts', draft('first'), signal);
    if (first === null) return;
    assert.equal(first.status, 201, first.body.detail);
    written.saved.add(subject);
    const second = await ask(session, 'PUT', `/drafts/${first.body.id}`, draft('second'), signal);
    if (second === null) return;
    assert.equal(second.status, 200, second.body.detail);
    // Every fourth message remains a draft.
    if (n % 4 === 3) continue;
    const sent = await ask(session, 'POST', `/drafts/${second.body.id}/send`, {}, signal);
    if (sent === null) return;
    assert.equal(sent.status, 202, sent.body.detail);
    written.sent.add(subject);
  }
}

async function subjectsIn(service: Service, user: string, pass: string, folder: string): Promise<string[]> {
  const app = new ImapFlow({
    host: '127.0.0.1',
    port: service.imapPort,
    secure: false,
    logger: false,
    auth: { user, pass },
  });
  await app.connect();
  try {
    await app.mailboxOpen(folder);
    const subjects: string[] = [];
    for await (const { envelope } of app.fetch('1:*', { envelope: true }))
      subjects.push(envelope?.subject ?? '');
    return subjects;
  } finally {
    await app.logout();
  }
}

async function killService(service: Service, start: (dataDir: string) => Promise<Service>): Promise<Service> {
  await service.kill();
  return start(service.dataDir);
}

test('each message saved or sent while the service is killed exists once, as a draft or in Sent', async () => {
  await using server = await startSmtpServer();
  const options = {
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: PATCHES,
  };
  let service = await startService(options);
  try {
    const { user, password } = await serviceMailbox(service, 'anna');
    let session = await signIn(service, user, password);
    const written: Written = { saved: new Set(), sent: new Set() };
    const stop = new AbortController();
    const writing = Array.from({ length: COMPOSERS }, (_, at) =>
      write(() => session, `c${at}`, written, stop.signal),
    );
    const failed = Promise.all(writing);
    failed.catch(() => stop.abort());
    assert.ok(await eventually(() => written.sent.size >= 6 && server.messages.length >= 2, 20_000));
    for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
    const before = written.sent.size;
    assert.ok(await eventually(() => written.sent.size >= before + 4, 20_000));
    service = await killService(service, (dataDir) => startService({ ...options, dataDir }));
    session = { ...session, baseUrl: service.baseUrl };
    const after = written.sent.size;
    assert.ok(await eventually(() => written.sent.size >= after + 4, 20_000));
    stop.abort();
    await failed;

    const waits = async (): Promise<number> => {
      const { rows } = await sql<{ waiting: number }>`
        select (select count(*) from drafts where sends_at is not null and sent_at is null)::int
          + (select count(*) from queue)::int as waiting`.execute(service.database);
      return rows[0]?.waiting ?? 0;
    };
    assert.ok(await eventually(async () => (await waits()) === 0, 20_000), 'sent messages are still queued');
    const [drafts, copies] = (await Promise.all(
      ['Drafts', 'Sent'].map((folder) => subjectsIn(service, user, password, folder)),
    )) as [string[], string[]];
    const copiesBySubject = Map.groupBy([...drafts, ...copies], (subject) => subject);
    const twice = [...copiesBySubject].filter(([, all]) => all.length > 1).map(([subject]) => subject);
    assert.deepEqual(twice, [], 'stored twice');
    assert.deepEqual(
      [...written.saved].filter((subject) => !copiesBySubject.has(subject)),
      [],
      'lost',
    );
    assert.deepEqual(
      [...written.sent].filter((subject) => !copies.includes(subject)),
      [],
      'sent without a copy in Sent',
    );
    const { rows: submitted } = await sql<{ address: string; times: number }>`
      select address, count(*)::int as times from submission_recipients group by address`.execute(
      service.database,
    );
    assert.deepEqual(
      submitted.filter(({ times }) => times > 1),
      [],
      'submitted twice',
    );
    assert.deepEqual(
      submitted.map(({ address }) => address.replace('@dst.test', '')).sort(),
      copies.toSorted(),
      'copies in Sent differ from submissions',
    );
    const arrived = new Set(server.messages.flatMap(({ rcptTo }) => rcptTo));
    assert.deepEqual(
      copies.filter((subject) => !arrived.has(`${subject}@dst.test`)),
      [],
      'not delivered',
    );
    assert.ok(
      server.messages.every(({ data }) => String(data).includes('second')),
      'an older version of the text was sent',
    );
  } finally {
    await service[Symbol.asyncDispose]();
  }
});
