import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import type { DnsAnswer } from '../net/dns.ts';
import { dmarcAdvice } from './dmarc-advice.ts';
import { expectedRecords } from './expected-records.ts';
import { judgeTxt } from './judge-record.ts';

const DOMAIN = 'acme.example';
const [record] = expectedRecords(DOMAIN, [], 'mx.posthorn.example').filter((one) => one.record === 'DMARC');
assert.ok(record);

/** The advice for a domain with these TXT records. */
function adviceFor(...found: string[]) {
  const answer: DnsAnswer<string> =
    found.length === 0 ? { outcome: 'none', nameExists: false } : { outcome: 'found', records: found };
  const advice = dmarcAdvice(DOMAIN, judgeTxt(record as NonNullable<typeof record>, answer));
  assert.ok(advice !== null);
  return advice;
}

describe('the advice on DMARC', () => {
  test('is null while DNS has not answered', () => {
    assert.equal(dmarcAdvice(DOMAIN, undefined), null);
    assert.equal(dmarcAdvice(DOMAIN, { status: 'temporary_failure', found: [], error: 'no answer' }), null);
  });

  test('explains what is wrong with a record that is tolerated', () => {
    const advice = dmarcAdvice(DOMAIN, {
      status: 'verified',
      found: ['v=DMARC1; p=reject; p=reject'],
      error: null,
      advice: ['wrong'],
      fixBy: '2026-12-31T00:00:00.000Z',
    });
    assert.deepEqual([advice?.policy, advice?.summary, advice?.next], [null, 'wrong', null]);
  });

  test('says to publish a record if no record is published', () => {
    const { policy, next, summary, advice } = adviceFor();
    assert.deepEqual([policy, next], [null, null]);
    assert.match(summary, /no TXT record at _dmarc\.acme\.example/);
    assert.match(advice.join(' '), /Publish the record shown/);
  });

  const steps: [published: string, policy: string, next: string | null][] = [
    ['v=DMARC1; p=none;', 'none', 'v=DMARC1; p=quarantine'],
    [
      'v=DMARC1; p=NONE; rua=mailto:d@acme.example; fo=1; pct=20',
      'none',
      'v=DMARC1; p=quarantine; rua=mailto:d@acme.example; fo=1',
    ],
    ['v=DMARC1;p=quarantine;sp=reject', 'quarantine', 'v=DMARC1; p=reject; sp=reject'],
    ['v=DMARC1; p=reject', 'reject', null],
  ];
  for (const [published, policy, next] of steps) {
    test(`proposes ${next ?? 'no change'} after ${published}`, () => {
      const advice = adviceFor('google-site-verification=x', published);
      assert.deepEqual([advice.policy, advice.published], [policy, published]);
      assert.equal(advice.next?.value ?? null, next);
    });
  }

  const words: [published: string, says: RegExp][] = [
    ['v=DMARC1; p=none', /No reports are sent\. Add rua=mailto:/],
    [
      'v=DMARC1; p=none; rua=mailto:a@acme.example, mailto:x@reports.test!10m',
      /Reports are sent to reports\.test only if .* at acme\.example\._report\._dmarc\.reports\.test/,
    ],
    ['v=DMARC1; p=quarantine; pct=20', /pct=20 is no longer part of DMARC/],
  ];
  for (const [published, says] of words) {
    test(`explains what is wrong with ${published}`, () =>
      assert.match(adviceFor(published).advice.join(' '), says));
  }

  test('says where reports are sent, and has no objection to addresses at the same domain', () => {
    const advice = adviceFor('v=DMARC1; p=reject; rua=mailto:dmarc@mail.acme.example');
    assert.deepEqual(advice.reports_to, ['dmarc@mail.acme.example']);
    assert.deepEqual(advice.advice, []);
  });

  test('explains the effect of strict alignment', () => {
    assert.match(adviceFor('v=DMARC1; p=none').alignment, /send\.acme\.example, aligned in relaxed mode/);
    const strict = adviceFor('v=DMARC1; p=none; aspf=s; adkim=s');
    assert.deepEqual([strict.dkim_alignment, strict.spf_alignment], ['strict', 'strict']);
    assert.match(strict.alignment, /DMARC passes only with DKIM/);
  });

  test('names the parent domain whose policy applies, including a separate policy for subdomains', () => {
    const check = { status: 'verified', found: ['v=DMARC1; p=reject; sp=none'], error: null } as const;
    const advice = dmarcAdvice('mail.acme.example', {
      ...check,
      found: [...check.found],
      inheritedFrom: DOMAIN,
    });
    assert.deepEqual([advice?.policy, advice?.next, advice?.inherited_from], ['none', null, DOMAIN]);
    assert.match(advice?.advice.join(' ') ?? '', /inherits the policy of acme\.example/);
  });

  test('never throws on any text, and proposes a valid policy', () => {
    const noise = anyText({ maxLength: 60 });
    const tags = fc
      .tuple(fc.constantFrom('p', 'sp', 'rua', 'aspf', 'pct'), noise)
      .map((tag) => tag.join('='));
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, tags), { maxLength: 6 }), (parts) => {
        const { next } = adviceFor(`v=DMARC1;${parts.join(';')}`);
        if (next !== null) assert.equal(adviceFor(next.value).policy, next.policy);
      }),
    );
  });
});
