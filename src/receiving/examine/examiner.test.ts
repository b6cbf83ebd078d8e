import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DnsServer } from '../../../test/support/dns-server.ts';
import type { Arrival } from '../authenticate/authentication.ts';
import {
  BAD_ADDRESS,
  GOOD_ADDRESS,
  HOSTNAME,
  PLAIN,
  sign,
  startMailDns,
} from '../authenticate/signed-mail.fixture.ts';
import type { SpamReason, SpamVerdict } from '../spam/verdict.ts';
import { TIMINGS as SPAM_TIMINGS } from '../spam/timings.ts';
import { type Examination, Examiner, type ExaminerOptions } from './examiner.ts';
import { TIMINGS } from './timings.ts';

let dns: DnsServer;
before(async () => {
  dns = await startMailDns();
});
after(() => dns[Symbol.asyncDispose]());

const LEARNED: SpamReason = { rule: 'LEARNED_99', weight: 4.5 };

const mailbox = (mailboxId: string) => ({ projectId: 'any', mailboxId, spamLevel: 'medium' as const });

const verdictIn = async (mailboxId: string, verdictsFor: Examination['verdictsFor']) =>
  (await verdictsFor([mailbox(mailboxId)]))(mailbox(mailboxId));

function examiner(options: Partial<ExaminerOptions> = {}): Examiner {
  return new Examiner({
    hostname: HOSTNAME,
    dns: dns.address,
    learned: {
      reasonsFor: async () => new Map([['learned', [LEARNED]]]),
      reasonsForSenders: async () => new Map(),
    },
    rspamd: null,
    logger: { warn: () => {} },
    ...options,
  });
}

function arrival(raw: Buffer, more: Partial<Arrival> = {}): Arrival {
  return { raw, address: GOOD_ADDRESS, helo: 'mx.acme.example', mailFrom: 'alice@acme.example', ...more };
}

describe('an examination', () => {
  test('reports whether a message is genuine, and its spam verdict for each mailbox', async () => {
    await using examining = examiner();
    const { authentication, verdictsFor } = await examining.examine(arrival(await sign(PLAIN)));
    assert.equal(authentication.dmarc.result, 'pass');
    const ours = await verdictIn('any', verdictsFor);
    assert.deepEqual(
      ours.reasons.map(({ rule }) => rule),
      [],
    );
    assert.equal((await verdictIn('learned', verdictsFor)).score, ours.score + LEARNED.weight);
  });

  test('treats mail sent by this server as genuine, whatever DNS says', async () => {
    await using examining = examiner();
    const own = { address: '127.0.0.1', helo: HOSTNAME, mailFrom: 'b+1@send.new.example', isOwn: true };
    const text = PLAIN.replaceAll('acme.example', 'new.example');
    const signed = Buffer.from(
      `DKIM-Signature: v=1; a=rsa-sha256; d=lists.example; s=forged; b=AAAA\r\n`.repeat(9) +
        `DKIM-Signature: v=1; a=rsa-sha256; d=new.example;\r\n\ts=k1; b=AAAA\r\n${text}`,
    );
    const { authentication, verdictsFor } = await examining.examine(arrival(signed, own));
    assert.equal(
      authentication.header,
      `${HOSTNAME}; auth=pass smtp.mailfrom=send.new.example; dkim=pass header.d=new.example header.s=k1 header.a=rsa-sha256; dmarc=pass header.from=new.example`,
    );
    const { reasons } = await verdictIn('any', verdictsFor);
    assert.deepEqual(
      reasons.map(({ rule }) => rule),
      [],
    );
    // If the same message came from outside, its signature would be forged.
    const strange = await examining.examine(arrival(signed, { ...own, isOwn: false }));
    assert.notEqual(strange.authentication.dmarc.result, 'pass');
    // GTUBE, the test text for spam filters, counts as spam even in mail that this server sent.
    const gtube = signed
      .toString()
      .replace(/$/, 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n');
    assert.ok(
      (await verdictIn('any', (await examining.examine(arrival(Buffer.from(gtube), own))).verdictsFor))
        .score > 100,
    );
  });

  test('reports that a header is too long to be examined', async () => {
    await using examining = examiner();
    const long = Buffer.from(`X-Long: ${'x'.repeat(1_100_000)}\r\n${PLAIN}`);
    assert.equal((await examining.examine(arrival(long))).isHeaderTooLong, true);
    assert.equal((await examining.examine(arrival(Buffer.from(PLAIN)))).isHeaderTooLong, false);
  });

  test('does not change the message', async () => {
    await using examining = examiner();
    const raw = await sign(PLAIN);
    const before = Buffer.from(raw);
    await examining.examine(arrival(raw));
    assert.deepEqual(raw, before);
  });

  test('of a large message runs in parallel with that of a small message', async () => {
    await using examining = examiner();
    const large = await sign(`${PLAIN}${'x'.repeat(76).concat('\r\n').repeat(100_000)}`);
    const all = [large, await sign(PLAIN), large].map((raw) => examining.examine(arrival(raw)));
    for (const { authentication } of await Promise.all(all)) {
      assert.deepEqual(
        authentication.dkim.map(({ result }) => result),
        ['pass'],
      );
    }
  });

  test('of a large message does not wait for the DNS lookups of another large message', async () => {
    dns.zone['slow.example'] = { fault: 'silent' };
    const large = await sign(`${PLAIN}${'x'.repeat(76).concat('\r\n').repeat(10_000)}`);
    let hasEnded = false;
    let slow: Promise<unknown>;
    {
      await using examining = examiner();
      slow = examining.examine(arrival(large, { mailFrom: 'x@slow.example' })).then(() => (hasEnded = true));
      const { authentication } = await examining.examine(arrival(large));
      assert.equal(authentication.dmarc.result, 'pass');
      assert.equal(hasEnded, false);
    }
    await slow;
  });

  test('that times out causes a temporary error, and later messages are still examined', async () => {
    const timings = { ...TIMINGS };
    await using examining = examiner({ timings });
    await examining.examine(arrival(Buffer.from(PLAIN)));
    timings.answerMs = 300;
    dns.zone['slow.example'] = { fault: 'silent' };
    const hanging = examining.examine(
      arrival(Buffer.from(PLAIN), { mailFrom: 'x@slow.example', address: BAD_ADDRESS }),
    );
    const { authentication } = await hanging;
    assert.equal(authentication.spf.result, 'temperror');
    assert.equal(authentication.policy, 'none');
    assert.match(
      authentication.header,
      /^mx\.posthorn\.example; spf=temperror; dkim=none; dmarc=temperror; /,
    );
    timings.answerMs = TIMINGS.answerMs;
    const next = await examining.examine(arrival(await sign(PLAIN)));
    assert.equal(next.authentication.dmarc.result, 'pass');
  });

  test('ignores what was learned while the database is unavailable', async () => {
    const away = () => Promise.reject(new Error('away'));
    await using examining = examiner({ learned: { reasonsFor: away, reasonsForSenders: away } });
    const { verdictsFor } = await examining.examine(arrival(Buffer.from(PLAIN)));
    assert.equal((await verdictIn('learned', verdictsFor)).score, 0);
  });

  test('reads what was learned once for each project, and what fails for one counts for nothing there', async () => {
    const asked: string[] = [];
    const reasonsFor: ExaminerOptions['learned']['reasonsFor'] = async (projectId, mailboxIds) => {
      asked.push(`${projectId}: ${mailboxIds.join(' ')}`);
      if (projectId === 'away') throw new Error('away');
      return new Map(mailboxIds.map((id) => [id, [LEARNED]]));
    };
    const learned = { reasonsFor, reasonsForSenders: async () => new Map() };
    await using examining = examiner({ learned });
    const { verdictsFor } = await examining.examine(arrival(await sign(PLAIN)));
    const mailboxes = ['away a', 'near b', 'near c'].map((name) => ({
      ...mailbox(name.slice(5)),
      projectId: name.slice(0, 4),
    }));
    const verdictFor = await verdictsFor(mailboxes);
    assert.deepEqual(
      mailboxes.map((each) => verdictFor(each).reasons),
      [[], [LEARNED], [LEARNED]],
    );
    assert.deepEqual(asked, ['away: a', 'near: b c']);
  });
});

describe('blocklists', () => {
  test('are asked about the client and the links of a message, and their reasons are added to the others', async () => {
    const asked: unknown[] = [];
    const blocklists: ExaminerOptions['blocklists'] = {
      start: ({ address }) => {
        asked.push(address);
        return async (domains) => {
          asked.push(domains);
          return [{ rule: 'DOMAIN_LISTED:uri.example', weight: 3 }];
        };
      },
    };
    await using examining = examiner({ blocklists });
    const { verdictsFor } = await examining.examine(
      arrival(Buffer.from(`${PLAIN}https://www.example.com:99/x\r\n`)),
    );
    assert.deepEqual(asked, [
      GOOD_ADDRESS,
      [{ domain: 'example.com', names: ['example.com', 'www.example.com'] }],
    ]);
    const rules = (await verdictIn('any', verdictsFor)).reasons.map(({ rule }) => rule);
    assert.ok(['URL_PORT', 'DOMAIN_LISTED:uri.example'].every((rule) => rules.includes(rule)));
  });
});

describe('rspamd', () => {
  const THEIRS: SpamVerdict = { score: 9.9, reasons: [{ rule: 'THEIRS', weight: 9.9 }] };

  test('replaces the built-in scorer for every project', async () => {
    await using examining = examiner({ rspamd: { check: async () => THEIRS } });
    const { verdictsFor } = await examining.examine(arrival(Buffer.from(PLAIN)));
    assert.deepEqual(await verdictIn('learned', verdictsFor), THEIRS);
  });

  test('is replaced by the built-in scorer after a failed query, and is not queried again for a while', async () => {
    let checks = 0;
    const warnings: string[] = [];
    const rspamd = {
      check: async () => {
        checks++;
        return null;
      },
    };
    await using examining = examiner({ rspamd, logger: { warn: (_, message) => warnings.push(message) } });
    for (let at = 0; at < 3; at++) {
      const { verdictsFor } = await examining.examine(arrival(Buffer.from(PLAIN)));
      assert.deepEqual((await verdictIn('any', verdictsFor)).reasons, []);
    }
    assert.equal(checks, 1);
    assert.equal(warnings.length, 1);
    assert.ok(SPAM_TIMINGS.rspamdRestMs > 0);
  });
});
