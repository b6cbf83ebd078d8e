/**
 * Outcomes of emails when a server or DNS misbehaves, as documented in docs/delivery.md, through the whole service. For each outcome in the
 * table of that page, the test causes the fault of one cell. Each cell has its own domain, address and server, and all emails are sent at
 * once. The test of the SMTP dialogue covers the whole table (src/sending/deliver/smtp/faults.test.ts).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeId } from '../../../src/model/ids.ts';
import { type DnsZone, startDnsServer } from '../../support/dns-server.ts';
import { eventually } from '../../support/eventually.ts';
import { type FaultCell, FAULTS, readFaultTable, STAGES } from '../../support/fault-table.ts';
import type { Patch } from '../../support/patches.ts';
import { destinationRow, setDue } from '../../support/queue-rows.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { testCertificate } from '../../support/tls/certificate.ts';
import { DNS_CASES, WELL } from './dns-cases.ts';

interface Detail {
  status: string;
  events: { type: string; created_at: string; detail: Record<string, unknown> | null }[];
}

const PATIENCE_MS = 30_000;
const OWN_NAME = 'mx.sender.test';
/** Short timeouts, but long enough for a busy machine to respond. */
const IMPATIENT: Patch = {
  timings: 'src/sending/deliver/direct',
  values: {
    setUpMs: 3_000,
    commandMs: 3_000,
    dataMs: 3_000,
    dotMs: 3_000,
    connectMs: 3_000,
    idleMs: 500,
  },
};
/** Long timeouts and several tries for DNS: all lookups run at once and the DNS server runs in this process, so queries may be dropped. */
const PATIENT: Patch = { timings: 'src/net', values: { tries: 5, lookUpTimeoutMs: 12_000 } };

const DELIVERED = 'delivered over TLS by mx0';
const ELSEWHERE = 'delivered over TLS by mx1';
const WAITS = 'deferred, and the domain waits';
const SENDER_WAITS = 'deferred, and its sender waits';

/**
 * What happens to the email, by the word in the table: `alone` if the domain has only the faulty host, `best` if it also has a second,
 * working host.
 */
const MEANINGS: Readonly<Record<string, { alone: string; best: string }>> = {
  'next host': { alone: WAITS, best: ELSEWHERE },
  HELO: { alone: 'delivered by mx0', best: 'delivered by mx0' },
  'in the clear': { alone: 'delivered by mx0', best: 'delivered by mx0' },
  'sender waits': { alone: SENDER_WAITS, best: SENDER_WAITS },
  deferred: { alone: 'deferred', best: 'deferred' },
  'again, then sender waits': { alone: SENDER_WAITS, best: ELSEWHERE },
  'again, then deferred': { alone: 'deferred', best: ELSEWHERE },
  'in doubt': { alone: 'deferred, in doubt', best: 'deferred, in doubt' },
  bounced: { alone: 'bounced, soft policy', best: 'bounced, soft policy' },
  delivered: { alone: DELIVERED, best: DELIVERED },
};

type Company = 'alone' | 'best';

interface Faulty extends FaultCell {
  company: Company;
  domain: string;
  server: SmtpTestServer;
  /** How often the server caused the fault. */
  plays: number;
}

const stack = new AsyncDisposableStack();
const table = [
  ...new Map(
    readFaultTable()
      .toReversed()
      .map((cell) => [cell.word, cell]),
  ).values(),
];
const faulty = new Map<string, Faulty>();
/** The pairs of sender and recipient that the greylisting server has received. */
const seen = new Set<string>();
/** Email ids by recipient domain. */
const ids = new Map<string, string>();
let well: SmtpTestServer;
/** When the test stops waiting. All emails are sent at once, and must have an outcome by then. */
let deadlineMs = 0;
let service: Service;

const domainOf = ({ stage, fault }: FaultCell, company: Company): string =>
  `${company}.${fault}.${stage}.test`.toLowerCase();

before(async () => {
  const tls = testCertificate;
  well = stack.use(await startSmtpServer({ host: WELL, tls }));
  const zone: DnsZone = { 'well.test': { A: [WELL] }, 'grey.test': { A: ['127.1.3.1'] } };
  for (const [at, cell] of table.entries()) {
    for (const company of ['alone', 'best'] as const) {
      const domain = domainOf(cell, company);
      const host = `127.1.${company === 'alone' ? 1 : 2}.${at + 1}`;
      const { port } = well;
      const server = await startSmtpServer({ host, port, tls, reply: (stage) => play(domain, stage) });
      faulty.set(domain, { ...cell, company, domain, server: stack.use(server), plays: 0 });
      zone[domain] = { MX: [`10 mx0.${domain}`, ...(company === 'best' ? [`20 mx1.${domain}`] : [])] };
      zone[`mx0.${domain}`] = { A: [host] };
      zone[`mx1.${domain}`] = { A: [WELL] };
    }
  }
  stack.use(await startGreylister(well.port));
  Object.assign(zone, ...DNS_CASES.map(({ records }) => records));
  const dns = stack.use(await startDnsServer(zone));
  service = stack.use(
    await startService({
      env: {
        POSTHORN_PROVIDER: 'direct',
        POSTHORN_DNS: dns.address,
        POSTHORN_MX_PORT: String(well.port),
        POSTHORN_HOSTNAME: OWN_NAME,
      },
      patches: [IMPATIENT, PATIENT],
    }),
  );
  await Promise.all([...faulty.keys(), ...DNS_CASES.map(({ domain }) => domain), 'grey.test'].map(send));
  deadlineMs = performance.now() + PATIENCE_MS;
});
after(() => stack.disposeAsync());

function play(domain: string, stage: string): string | undefined {
  const cell = faulty.get(domain);
  if (cell === undefined || stage !== STAGES[cell.stage]) return undefined;
  cell.plays += 1;
  return FAULTS[cell.fault];
}

function playsOf({ word, company }: Faulty): number {
  return word.startsWith('again') && company === 'alone' ? 2 : 1;
}

function startGreylister(port: number): Promise<SmtpTestServer> {
  const senders = new Map<number, string>();
  return startSmtpServer({
    host: '127.1.3.1',
    port,
    reply: (stage, argument, { connection }) => {
      if (stage === 'mail') senders.set(connection, argument);
      if (stage !== 'rcpt') return undefined;
      const pair = `${senders.get(connection)} ${argument}`;
      if (seen.has(pair)) return undefined;
      seen.add(pair);
      return '451 4.7.1 Greylisted, try again in 10 minutes';
    },
  });
}

async function send(domain: string): Promise<void> {
  const to = [`you@${domain}`];
  const email = { from: 'hello@posthorn.localhost', to, subject: 'Hello', text: 'It works.' };
  const { status, body } = await service.client().post<{ id: string }>('/v1/emails', email);
  assert.equal(status, 202, JSON.stringify(body));
  ids.set(domain, body.id);
}

/** Waits until an attempt to send the email to the domain has ended. @returns the email */
async function settled(domain: string, isSettled = hasOutcome, patienceMs = leftMs()): Promise<Detail> {
  let detail: Detail | undefined;
  const isOver = await eventually(async () => {
    detail = (await service.client().get<Detail>(`/v1/emails/${ids.get(domain)}`)).body;
    return isSettled(detail);
  }, patienceMs);
  assert.ok(detail !== undefined && isOver, JSON.stringify(detail, null, 1));
  return detail;
}

/** The time left until the deadline, but at least 100 ms, so that one poll is always possible. */
function leftMs(): number {
  return Math.max(deadlineMs - performance.now(), 100);
}

/** Whether an attempt to send the email has ended. */
function hasOutcome({ status, events }: Detail): boolean {
  if (status === 'sending') return events.some(({ type }) => type === 'deferred');
  return ['delivered', 'bounced', 'failed'].includes(status);
}

/** The outcome of the email in words, as a user sees it. If the timeline is unexpected, returns the timeline instead. */
async function fateOf(domain: string): Promise<string> {
  const { status, events } = await settled(domain);
  const detail = events.at(-1)?.detail ?? {};
  const timeline = `${status}: ${events.map(({ type }) => type).join(' ')}`;
  switch (timeline) {
    case 'delivered: queued sending sent delivered': {
      const [host] = String(detail['remote_mta']).split('.');
      return `delivered${detail['tls'] === true ? ' over TLS' : ''} by ${host}`;
    }
    case 'sending: queued sending deferred': {
      if (await isWaitedFor(domain)) return WAITS;
      if (await isWaitedFor(`${domain} from posthorn.localhost`)) return SENDER_WAITS;
      const isInDoubt = String(detail['response']).startsWith('It is unknown whether');
      return `deferred${isInDoubt ? ', in doubt' : ''}`;
    }
    case 'bounced: queued sending bounced':
      return `bounced, ${detail['type']} ${detail['category']}`;
    case 'failed: queued sending failed':
      return `failed, ${detail['reason']}`;
    default:
      return timeline;
  }
}

async function isWaitedFor(name: string): Promise<boolean> {
  const { failures } = (await destinationRow(service.database, name)) ?? { failures: 0 };
  return failures > 0;
}

function copiesAt(server: SmtpTestServer, domain: string): number {
  return server.messages.filter(({ rcptTo }) => rcptTo.includes(`you@${domain}`)).length;
}

for (const company of ['alone', 'best'] as const) {
  describe(company === 'alone' ? 'a domain with one host' : 'a domain with a second host', () => {
    for (const cell of table) {
      test(`${cell.fault} at ${cell.stage} of the first host: ${cell.word}`, async () => {
        const domain = domainOf(cell, company);
        const fate = await fateOf(domain);
        assert.equal(fate, MEANINGS[cell.word]?.[company]);
        const first = faulty.get(domain);
        assert.ok(first);
        const copies = { mx0: copiesAt(first.server, domain), mx1: copiesAt(well, domain) };
        assert.deepEqual(copies, {
          mx0: Number(fate.endsWith('by mx0')),
          mx1: Number(fate.endsWith('by mx1')),
        });
        // The client sends QUIT after some idle time.
        await eventually(() => first.plays > 0, leftMs());
        assert.equal(first.plays, playsOf(first));
        assert.deepEqual(first.server.violations, []);
      });
    }
  });
}

describe('direct delivery', () => {
  for (const { name, domain, fate, words } of DNS_CASES) {
    test(`an email to a domain that ${name}: ${fate}`, async () => {
      assert.equal(await fateOf(domain), fate);
      const { events } = await settled(domain);
      const { response, smtp_code } = events.at(-1)?.detail ?? {};
      if (words === null) assert.equal(smtp_code, 250);
      else assert.deepEqual([response, smtp_code], [words, null]);
    });
  }
});

test('the second attempt at a greylisting server has the same sender, and the server accepts the email', async () => {
  const { events } = await settled('grey.test');
  const deferred = events.at(-1);
  assert.equal(deferred?.detail?.['smtp_code'], 451);
  const waitMs =
    Date.parse(String(deferred?.detail?.['next_attempt_at'])) - Date.parse(deferred?.created_at ?? '');
  assert.ok(
    waitMs > 590_000 && waitMs < 660_000,
    `${waitMs} ms instead of the 10 minutes that the server asked for`,
  );
  assert.equal(await isWaitedFor('grey.test'), false);

  const emailId = decodeId('em', ids.get('grey.test') ?? '') ?? '';
  await setDue(service.database, '0', { emailId });
  const { events: all } = await settled('grey.test', ({ status }) => status === 'delivered', PATIENCE_MS);
  assert.deepEqual(
    all.map(({ type }) => type),
    ['queued', 'sending', 'deferred', 'sent', 'delivered'],
  );
  assert.equal(seen.size, 1);
});

test('the working server records no violation of the protocol', () => {
  assert.deepEqual(well.violations, []);
});
