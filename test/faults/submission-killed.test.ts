/**
 * Kills what takes mail from apps while they hand it in. Whatever was answered with 250 is there, and nothing is there twice: who lost the answer
 * hands the same message in again, and is known by its Message-ID and bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { TestClient } from '../../src/edge/smtp/dialogue.fixture.ts';
import { plain } from '../../src/edge/smtp/submission/submission.fixture.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { type Service, startService } from '../support/service.ts';

const APPS_OF_EACH = 4;
const PASSWORD = 'correct-horse-battery';
const MAILBOX = 'anna@posthorn.localhost';
const LARGE_EACH = 5;
const LARGE = 'a line of a message that is too large for a row\r\n'.repeat(2_000);

interface Login {
  user: string;
  password: string;
}

/** Subjects that were answered with 250, and those that were handed in more than once. */
interface Sent {
  answered: Set<string>;
  again: Set<string>;
}

/** Hands in one message after the other until it is stopped; what got no answer it hands in again, as it is. */
async function handIn(
  port: () => number,
  name: string,
  login: Login,
  sent: Sent,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const subject = `${name}-${n}`;
    const text = n % LARGE_EACH === 0 ? LARGE : 'hello\r\n';
    const mail = `From: ${MAILBOX}\r\nTo: b@dst.test\r\nSubject: ${subject}\r\nDate: Mon, 23 Nov 2026 03:00:00 +0000\r\nMessage-ID: <${subject}@app.test>\r\n\r\n${text}.\r\n`;
    while (!signal.aborted && !sent.answered.has(subject)) {
      let isOut = false;
      try {
        using client = await TestClient.connect(port());
        client.send(`EHLO app\r\nAUTH PLAIN ${plain(login.user, login.password)}\r\n`);
        for (let line: string | null = ''; line?.startsWith('235') !== true; line = await client.line())
          if (line === null || /^[45]/.test(line)) throw new Error('nobody there');
        client.send(`MAIL FROM:<${MAILBOX}>\r\nRCPT TO:<b@dst.test>\r\nDATA\r\n`);
        for (const code of ['250', '250', '354'])
          if ((await client.line())?.startsWith(code) !== true) throw new Error('not now');
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
}

async function killed(
  kill: (service: Service) => Promise<Service>,
  patches: readonly Patch[] = [],
): Promise<Result> {
  let service = await startService({ patches });
  try {
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
    await service.client().post('/v1/mailboxes', { domain_id, local_part: 'anna', password: PASSWORD });
    const sent: Sent = { answered: new Set(), again: new Set() };
    const stop = new AbortController();
    const logins: Record<string, Login> = {
      box: { user: MAILBOX, password: PASSWORD },
      key: { user: 'apikey', password: service.token ?? '' },
    };
    const sending = Object.entries(logins).flatMap(([name, login]) =>
      Array.from({ length: APPS_OF_EACH }, (_, at) =>
        handIn(() => service.submissionPort, `${name}${at}`, login, sent, stop.signal),
      ),
    );
    // Those who sign in with a password are few beside those with a key.
    const ofMailbox = () => [...sent.answered].filter((subject) => subject.startsWith('box')).length;
    assert.ok(await eventually(() => sent.answered.size >= 100 && ofMailbox() >= 5, 30_000));
    service = await kill(service);
    const before = sent.answered.size;
    const goesOn = await eventually(() => sent.answered.size >= before + 50, 30_000);
    stop.abort();
    await Promise.all(sending);
    assert.ok(goesOn);
    const { rows } = await sql<{ subject: string; copies: number }>`
      select subject, count(*)::int as copies from (
        select split_part(trim(message_id, '<>'), '@', 1) as subject from submissions
        union all select subject from emails
      ) taken group by subject`.execute(service.database);
    const there = new Map(rows.map(({ subject, copies }) => [subject, copies]));
    return {
      lost: [...sent.answered].filter((subject) => !there.has(subject)),
      doubled: rows.filter(({ copies }) => copies > 1).map(({ subject }) => subject),
    };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

const NOTHING: Result = { lost: [], doubled: [] };

async function killService(service: Service): Promise<Service> {
  await service.kill();
  return startService({ dataDir: service.dataDir });
}

test('no message that got a 250 is lost, and none is there twice, when the whole service is killed', async () => {
  assert.deepEqual(await killed(killService), NOTHING);
});

test('nor when PostgreSQL is', async () => {
  const kill = async (service: Service) => {
    process.kill(service.postgresPid(), 'SIGKILL');
    return service;
  };
  assert.deepEqual(await killed(kill), NOTHING);
});

test('control: messages are lost when the 250 comes before the commit', async () => {
  const early = {
    file: 'src/sending/submit/submitter.ts',
    protection: 'commit before the 250',
    replace: `setTimeout(() => void this.#commit.add(accepting.submission).catch(() => {}), 30_000);
    return { outcome: 'accepted' };`,
  };
  const { lost } = await killed(killService, [early]);
  assert.notDeepEqual(lost, []);
});
