/** Measures what authenticating and scoring a received message costs, and how many messages per second one thread examines. */
import { join } from 'node:path';
import type { Arrival } from '../../src/receiving/authenticate/authentication.ts';
import { authenticate } from '../../src/receiving/authenticate/authenticate.ts';
import { CachedDns } from '../../src/receiving/authenticate/cached-dns.ts';
import {
  GOOD_ADDRESS,
  HOSTNAME,
  mailZone,
  PLAIN,
  sign,
} from '../../src/receiving/authenticate/signed-mail.fixture.ts';
import { Examiner } from '../../src/receiving/examine/examiner.ts';
import { DnsResolver } from '../../src/net/dns.ts';
import { readContent } from '../../src/receiving/spam/mail.ts';
import { findSpamSigns } from '../../src/receiving/spam/score.ts';
import { startDns } from '../support/dns.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import type { Row } from '../support/table.ts';

/** A text that makes a message of 4 kB including the header. */
const TEXT =
  'This is a line of the text that has some words in it, and a link: https://acme.example/x.\r\n'.repeat(40);
const AT_ONCE = 20;

export async function examine(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const dns = await startDns(join(folder), mailZone());
  const count = quick ? 50 : 2_000;
  const messages = { signed: await sign(PLAIN + TEXT), unsigned: Buffer.from(PLAIN + TEXT) };
  const authenticator = { dns: new CachedDns(new DnsResolver(dns)), hostname: HOSTNAME };
  const runs = new Runs();
  await using examiner = new Examiner({
    hostname: HOSTNAME,
    dns,
    learned: { reasonsFor: async () => new Map(), reasonsForSenders: async () => new Map() },
    rspamd: null,
    logger: { warn: () => {} },
  });
  for (const round of rounds(context)) {
    for (const [name, raw] of Object.entries(messages)) {
      const arrival: Arrival = {
        raw,
        address: GOOD_ADDRESS,
        helo: 'mx.acme.example',
        mailFrom: 'alice@acme.example',
      };
      const authentication = await authenticate(arrival, authenticator);
      await examiner.examine(arrival);
      runs.add(`${name} authenticate`, await cpuMicros(count, () => authenticate(arrival, authenticator)));
      const more = { arrival, authentication, hostname: HOSTNAME, nowMs: Date.now() };
      runs.add(
        `${name} score`,
        await cpuMicros(count, async () => findSpamSigns({ ...readContent(raw), ...more })),
      );
      const startedMs = performance.now();
      const loop = performance.eventLoopUtilization();
      let left = count;
      const examineSome = async () => {
        while (left-- > 0) await examiner.examine(arrival);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, examineSome));
      const seconds = (performance.now() - startedMs) / 1_000;
      runs.add(`${name} a second`, count / seconds);
      runs.add(`${name} loop`, (performance.eventLoopUtilization(loop).active * 1_000) / count);
      log(`round ${round}, ${name}: ${Math.round(count / seconds)}/s`);
    }
  }
  return Object.keys(messages).flatMap((name): Row[] => [
    {
      measure: `messages of 4 kB examined in one thread, ${name}`,
      unit: '/s',
      runs: runs.of(`${name} a second`),
      goal: { on: 'value', sense: 'at least', limit: name === 'signed' ? 400 : 800 },
    },
    {
      measure: `  CPU of SPF, DKIM, DMARC and ARC, ${name}`,
      unit: 'µs',
      runs: runs.of(`${name} authenticate`),
    },
    { measure: `  CPU of the scorer, ${name}`, unit: 'µs', runs: runs.of(`${name} score`) },
    {
      measure: `  time on the event loop of the sessions, ${name}`,
      unit: 'µs',
      runs: runs.of(`${name} loop`),
    },
  ]);
}

async function cpuMicros(count: number, work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < count; at++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
