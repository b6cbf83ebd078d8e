/** Direct delivery through the whole service to several mail servers, each on its own address. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { destinationRow, makeDestinationsDue } from '../support/queue-rows.ts';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';

interface Detail {
  id: string;
  status: string;
  events: { type: string; recipient: string | null; detail: Record<string, unknown> | null }[];
}

const PATIENCE_MS = 30_000;
/** Makes emails expire after 4 seconds, because a test cannot create emails that are three days old. */
const SOON_OVER: Patch = { timings: 'src/sending/deliver', values: { abandonAfterMs: 4_000 } };

let dns: DnsServer;
let live: SmtpTestServer;
/** A server whose responses depend on `mood`. */
let moody: SmtpTestServer;
let mood: 'away' | 'silent' | 'well' = 'well';
let service: Service;

before(async () => {
  live = await startSmtpServer({
    host: '127.0.0.2',
    reply: (stage, argument) =>
      stage === 'rcpt' && argument.startsWith('nobody') ? '550 5.1.1 no such user' : undefined,
  });
  moody = await startSmtpServer({
    host: '127.0.0.3',
    port: live.port,
    reply: async (stage) => {
      if (mood === 'away' && (stage === 'connect' || stage === 'mail')) return '421 4.3.2 not now';
      if (mood === 'silent' && stage === 'dot') {
        await eventually(() => mood !== 'silent', 10 * PATIENCE_MS);
      }
      return undefined;
    },
  });
  dns = await startDnsServer({
    'live.test': { MX: ['10 mx.live.test'] },
    'mx.live.test': { A: ['127.0.0.2'] },
    'moody.test': { MX: ['10 mx.moody.test'] },
    'mx.moody.test': { A: ['127.0.0.3'] },
    'null.test': { MX: ['0 .'] },
  });
  service = await startService({ env: environment() });
});
after(async () => {
  mood = 'well';
  await service[Symbol.asyncDispose]();
  await Promise.all([live, moody, dns].map((server) => server[Symbol.asyncDispose]()));
});

function environment(): Record<string, string> {
  return {
    POSTHORN_PROVIDER: 'direct',
    POSTHORN_DNS: dns.address,
    POSTHORN_MX_PORT: String(live.port),
    POSTHORN_HOSTNAME: 'mx.sender.test',
  };
}

async function send(to: string, from: Service = service): Promise<string> {
  const email = { from: 'hello@posthorn.localhost', to: [to], subject: 'Hello', text: 'It works.' };
  const { status, body } = await from.client().post<{ id: string }>('/v1/emails', email);
  assert.equal(status, 202);
  return body.id;
}

async function detailOf(id: string, from: Service = service): Promise<Detail> {
  return (await from.client().get<Detail>(`/v1/emails/${id}`)).body;
}

async function when(id: string, condition: (detail: Detail) => boolean, from: Service = service) {
  const isMet = await eventually(async () => condition(await detailOf(id, from)), PATIENCE_MS);
  const detail = await detailOf(id, from);
  assert.ok(isMet, JSON.stringify(detail, null, 1));
  return detail;
}

function isDeferred({ events }: Detail): boolean {
  return events.some(({ type }) => type === 'deferred');
}

/** Makes the next attempt for a waiting destination or sender due now, instead of in minutes. */
async function passTime(from: Service = service): Promise<void> {
  await makeDestinationsDue(from.database);
}

async function isForgotten(name: string): Promise<boolean> {
  return (await destinationRow(service.database, name)) === undefined;
}

test("after a 250 of the recipient's own server, the email is sent and delivered, and the dialogue is recorded", async () => {
  const id = await send('ann@live.test');
  const { events } = await when(id, ({ status }) => status === 'delivered');
  assert.deepEqual(
    events.map(({ type }) => type),
    ['queued', 'sending', 'sent', 'delivered'],
  );
  const detail = events.at(-1)?.detail;
  assert.equal(detail?.['remote_mta'], 'mx.live.test');
  const dialogue = detail?.['dialogue'] as { at_ms: number; by: string; text: string }[];
  const transcript = dialogue.map(({ by, text }) => `${by} ${text}`).join('\n');
  assert.match(transcript, /client MAIL FROM:<b\+/);
  assert.match(transcript, /client RCPT TO:<ann@live\.test>/);
  assert.match(transcript, /server 250/);
});

test('an unknown recipient causes a hard bounce, and the next email to this address is not sent', async () => {
  const first = await when(await send('nobody@live.test'), ({ status }) => status === 'bounced');
  const { type, category, suppressed } = first.events.at(-1)?.detail ?? {};
  assert.deepEqual([type, category, suppressed], ['hard', 'unknown_user', true]);
  const before = live.connections;
  const second = await when(await send('Nobody@live.test'), ({ status }) => status === 'failed');
  assert.equal(second.events.at(-1)?.detail?.['reason'], 'suppressed');
  assert.equal(live.connections, before);
});

test('mail to a domain fails if the domain does not exist or accepts no mail', async () => {
  const missing = await when(await send('a@missing.test'), ({ status }) => status === 'failed');
  assert.equal(missing.events.at(-1)?.detail?.['reason'], 'no_such_domain');
  const none = await when(await send('a@null.test'), ({ status }) => status === 'failed');
  assert.equal(none.events.at(-1)?.detail?.['reason'], 'no_route');
});

test('an unavailable destination gets one attempt for all its mail, and receives the mail once it is available', async () => {
  mood = 'away';
  const ids = [await send('0@moody.test')];
  await when(ids[0] as string, isDeferred);
  const tries = moody.connections;
  for (let recipientIndex = 1; recipientIndex < 30; recipientIndex++)
    ids.push(await send(`${recipientIndex}@moody.test`));
  for (const id of ids) await when(id, isDeferred);
  assert.equal(moody.connections, tries, 'no connections for the other emails');

  await passTime();
  assert.ok(await eventually(() => moody.connections > tries, PATIENCE_MS), 'it is probed again');
  const { failures } = (await destinationRow(service.database, 'moody.test')) ?? { failures: 0 };
  assert.ok(failures >= 1);

  mood = 'well';
  assert.ok(
    await eventually(async () => {
      await passTime();
      return (await detailOf(ids[0] as string)).status === 'delivered';
    }, PATIENCE_MS),
  );
  for (const id of ids) await when(id, ({ status }) => status === 'delivered');
  assert.equal(moody.messages.length, 30);
  assert.ok(await eventually(() => isForgotten('moody.test'), PATIENCE_MS));
});

test('mail to a server that never responds does not delay other mail', async () => {
  mood = 'silent';
  const stuck: string[] = [];
  for (let recipientIndex = 0; recipientIndex < 600; recipientIndex++)
    stuck.push(await send(`${recipientIndex}@moody.test`));
  const id = await send('quick@live.test');
  await when(id, ({ status }) => status === 'delivered');
  assert.ok((await detailOf(stuck.at(-1) as string)).status !== 'delivered');
  mood = 'well';
  for (const each of stuck) await when(each, ({ status }) => status === 'delivered');
});

test('mail to an unavailable destination bounces when the mail expires', async () => {
  mood = 'away';
  await using hasty = await startService({ env: environment(), patches: [SOON_OVER] });
  const ids = [await send('a@moody.test', hasty), await send('b@moody.test', hasty)];
  for (const id of ids) await when(id, isDeferred, hasty);
  const isOver = await eventually(async () => {
    await passTime(hasty);
    return (await detailOf(ids[1] as string, hasty)).status === 'bounced';
  }, PATIENCE_MS);
  assert.ok(isOver);
  for (const id of ids) {
    const { events } = await when(id, ({ status }) => status === 'bounced', hasty);
    const { type, category } = events.at(-1)?.detail ?? {};
    assert.deepEqual([type, category], ['soft', 'expired']);
  }
  mood = 'well';
});

test('parked mail survives the death of every process', async () => {
  mood = 'away';
  const id = await send('patient@moody.test');
  await when(id, isDeferred);
  for (const pid of service.childPids()) process.kill(pid, 'SIGKILL');
  mood = 'well';
  await eventually(async () => {
    await passTime().catch(() => {});
    return (await detailOf(id).catch(() => null))?.status === 'delivered';
  }, PATIENCE_MS);
  await when(id, ({ status }) => status === 'delivered');
});
