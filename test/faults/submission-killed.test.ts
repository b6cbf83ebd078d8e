/**
 * Kills the processes that accept mail from apps during submission. Every message answered with 250 is stored, and no message is stored
 * twice: a client that lost the response submits the message again, and the service recognizes it by its Message-ID and bytes. A second
 * mailbox has limits of its own, in a project whose plan has limits too: its recorded usage equals the number of accepted messages, and its
 * Sent folder contains each message once.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { readUsage } from '../../src/accounts/usage.ts';
import type { Database } from '../../src/db/database.ts';
import { TestClient } from '../../src/doors/smtp/dialogue.fixture.ts';
import { plain } from '../../src/doors/smtp/submission/submission.fixture.ts';
import { Mailboxes } from '../../src/mailboxes/mailboxes.ts';
import { decodeId } from '../../src/model/ids.ts';
import { monthOf } from '../../src/model/month.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { newProject } from '../support/projects.ts';
import { type Service, startService } from '../support/service.ts';
import { assertSound } from '../support/sound-mailbox.ts';

const APPS_OF_EACH = 4;
const PASSWORD = 'correct-horse-battery';
const MAILBOX = 'anna@posthorn.localhost';
const LIMITED = 'fay@posthorn.localhost';
const LARGE_EACH = 5;
/** Too large for a row, and for memory while it arrives. */
const LARGE = 'a line of a message that is too large for a row\r\n'.repeat(6_000);

interface Login {
  user: string;
  password: string;
  /** The address of the sender. */
  from: string;
}

/** The subjects of messages answered with 250, and of messages whose response was lost. */
interface Sent {
  answered: Set<string>;
  again: Set<string>;
}

/** Submits messages until stopped. After a lost response, submits the same bytes again. */
async function submitAll(
  port: () => number,
  name: string,
  login: Login,
  sent: Sent,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const subject = `${name}-${n}`;
    const text = n % LARGE_EACH === 0 ? LARGE : 'hello\r\n';
    const mail = `From: ${login.from}\r\nTo: b@dst.test\r\nSubject: ${subject}\r\nDate: Mon, 23 Nov 2026 03:00:00 +0000\r\nMessage-ID: <${subject}@app.test>\r\n\r\n${text}.\r\n`;
    while (!signal.aborted && !sent.answered.has(subject)) {
      let isOut = false;
      try {
        using client = await TestClient.connect(port());
        client.send(`EHLO app\r\nAUTH PLAIN ${plain(login.user, login.password)}\r\n`);
        for (let line: string | null = ''; line?.startsWith('235') !== true; line = await client.line())
          if (line === null || /^[45]/.test(line)) throw new Error('not connected');
        client.send(`MAIL FROM:<${login.from}>\r\nRCPT TO:<b@dst.test>\r\nDATA\r\n`);
        for (const code of ['250', '250', '354'])
          if ((await client.line())?.startsWith(code) !== true) throw new Error('rejected');
        client.send(mail);
        isOut = true;
        if ((await client.line())?.startsWith('250') === true) sent.answered.add(subject);
        else sent.again.add(subject);
      } catch {
        if (isOut) sent.again.add(subject);
        await wait(50);
      }
    }
  }
}

interface Result {
  lost: string[];
  doubled: string[];
  /** Messages of the limited mailbox that are not exactly once in Sent, and copies in Sent without a submission. */
  notOnceInSent: string[];
}

/**
 * Creates a mailbox with its own limit, whose sent mail is copied to Sent, in a project on the free plan. Its submissions are accepted
 * under locks.
 */
async function makeLimited(database: Database, domain_id: string): Promise<MailboxKey> {
  const projectId = await newProject(database, 'free', 'free');
  const mailboxes = new Mailboxes({ database, hostedDomain: 'posthorn.localhost' });
  const fields = {
    domain_id,
    local_part: 'fay',
    password: PASSWORD,
    quota_mb: 1_024,
    daily_send_limit: 10_000,
  };
  const { id } = await mailboxes.create(projectId, fields);
  const mailboxId = decodeId('mbx', id) ?? '';
  await mailboxes.update(projectId, mailboxId, { save_sent: true });
  return { projectId, mailboxId };
}

async function notOnceInSent(database: Database, limited: MailboxKey): Promise<string[]> {
  const { rows } = await sql<{ messageId: string }>`
    select coalesce(s.message_id, c.message_id) as message_id
    from (select message_id from submissions where mailbox_id = ${limited.mailboxId}) s
    full join (
      select c.message_id, count(*) as copies from messages m
      join folders f on f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.role = 'sent'
      join message_contents c on c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
      where m.mailbox_id = ${limited.mailboxId} group by 1
    ) c using (message_id)
    where c.copies is distinct from 1 or s.message_id is null`.execute(database);
  return rows.map(({ messageId }) => messageId);
}

async function runAndKill(
  kill: (service: Service) => Promise<Service>,
  patches: readonly Patch[] = [],
): Promise<Result> {
  let service = await startService({ patches });
  try {
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id ?? '';
    await service.client().post('/v1/mailboxes', { domain_id, local_part: 'anna', password: PASSWORD });
    const limited = await makeLimited(service.database, domain_id);
    const sent: Sent = { answered: new Set(), again: new Set() };
    const stop = new AbortController();
    const logins: Record<string, Login> = {
      box: { user: MAILBOX, password: PASSWORD, from: MAILBOX },
      key: { user: 'apikey', password: service.token ?? '', from: MAILBOX },
      free: { user: LIMITED, password: PASSWORD, from: LIMITED },
    };
    const sending = Object.entries(logins).flatMap(([name, login]) =>
      Array.from({ length: APPS_OF_EACH }, (_, at) =>
        submitAll(() => service.submissionPort, `${name}${at}`, login, sent, stop.signal),
      ),
    );
    // Signing in with a password takes longer than with an API key, so wait until senders of both kinds have got a 250.
    const answeredTo = (name: string) =>
      [...sent.answered].filter((subject) => subject.startsWith(name)).length;
    const areMany = () => sent.answered.size >= 100 && answeredTo('box') >= 5 && answeredTo('free') >= 5;
    assert.ok(await eventually(areMany, 30_000));
    service = await kill(service);
    const before = sent.answered.size;
    const continues = await eventually(() => sent.answered.size >= before + 50, 30_000);
    stop.abort();
    await Promise.all(sending);
    assert.ok(continues);
    const { rows } = await sql<{ subject: string; copies: number }>`
      select subject, count(*)::int as copies from (
        select split_part(trim(message_id, '<>'), '@', 1) as subject from submissions
        union all select subject from emails
      ) taken group by subject`.execute(service.database);
    const ofLimited = rows.filter(({ subject }) => subject.startsWith('free'));
    const { mailboxEmails } = await readUsage(service.database, limited.projectId, monthOf(new Date()));
    assert.equal(mailboxEmails, ofLimited.length);
    await assertSound(service.database, limited);
    const stored = new Map(rows.map(({ subject, copies }) => [subject, copies]));
    return {
      lost: [...sent.answered].filter((subject) => !stored.has(subject)),
      doubled: rows.filter(({ copies }) => copies > 1).map(({ subject }) => subject),
      notOnceInSent: await notOnceInSent(service.database, limited),
    };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

const NOTHING: Result = { lost: [], doubled: [], notOnceInSent: [] };

async function killService(service: Service): Promise<Service> {
  await service.kill();
  return startService({ dataDir: service.dataDir });
}

/** Signs in with an API key. @returns a client that the service waits for after 354 */
async function beginSubmission(service: Service, token: string): Promise<TestClient> {
  const client = await TestClient.connect(service.submissionPort);
  client.send(`EHLO app\r\nAUTH PLAIN ${plain('apikey', token)}\r\n`);
  for (let line = await client.line(); line?.startsWith('235') !== true; line = await client.line())
    assert.match(line ?? 'closed', /^2/);
  client.send(`MAIL FROM:<${MAILBOX}>\r\nRCPT TO:<b@dst.test>\r\nDATA\r\n`);
  for (const code of ['250', '250', '354']) assert.ok((await client.line())?.startsWith(code));
  return client;
}

test('no message that got a 250 is lost or stored twice when the whole service is killed', async () => {
  assert.deepEqual(await runAndKill(killService), NOTHING);
});

test('no message that got a 250 is lost or stored twice when PostgreSQL is killed', async () => {
  const kill = async (service: Service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  };
  assert.deepEqual(await runAndKill(kill), NOTHING);
});

test('a message that was half received when the service was killed leaves nothing behind, and can be submitted again', async () => {
  let service = await startService();
  try {
    const token = service.token ?? '';
    const half = await beginSubmission(service, token);
    half.send(LARGE.repeat(4));
    assert.ok(await eventually(() => half.unsentOctets === 0, 10_000));
    const { dataDir } = service;
    service = await killService(service);
    assert.equal(await half.line(), null);
    const left = ['spool', 'blobs'].flatMap((name) => {
      const folder = join(dataDir, name);
      return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    });
    assert.deepEqual(left, []);
    const countEmails = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from emails`.execute(service.database)).rows[0]?.n;
    assert.equal(await countEmails(), 0);
    using again = await beginSubmission(service, token);
    again.send(`From: ${MAILBOX}\r\nTo: b@dst.test\r\nSubject: again\r\n\r\n${LARGE.repeat(4)}.\r\n`);
    assert.match((await again.line()) ?? '', /^250 2\.0\.0 Queued as em_/);
    assert.equal(await countEmails(), 1);
  } finally {
    await service[Symbol.asyncDispose]();
  }
});

test('control: messages are lost if the 250 is sent before the commit', async () => {
  const early = {
    file: 'src/sending/submit/submitter.ts',
    protection: 'commit before the 250',
    replace: `setTimeout(() => void this.#commit.add(accepting.submission).catch(() => {}), 30_000);
    return { outcome: 'accepted' };`,
  };
  const { lost } = await runAndKill(killService, [early]);
  assert.notDeepEqual(lost, []);
});
