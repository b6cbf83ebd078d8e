import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DomainRecord } from '../../../../src/contract/domains.ts';
import { compare, type Difference, differenceOf, indexOfTerm, relativeTo } from './difference.ts';

const MX: DomainRecord = {
  record: 'MAIL_FROM',
  type: 'MX',
  name: 'send.acme.example',
  host: 'send',
  value: 'mx.posthorn.example',
  ttl: 3600,
  priority: 10,
  required: true,
  status: 'failed',
  found: [],
  error: null,
};

describe('the difference between a record and DNS', () => {
  const cases: [changes: Partial<DomainRecord>, is: Difference][] = [
    [{ status: 'pending' }, 'unasked'],
    [{ status: 'verified', found: ['5 mx.posthorn.example'] }, 'none'],
    [{ found: [] }, 'missing'],
    [{ found: ['10 mx.other.example'] }, 'other'],
    [{ found: ['10 mx.other.example', '10 mx.posthorn.example'] }, 'extra'],
    [{ status: 'temporary_failure' }, 'unknown'],
  ];
  for (const [changes, is] of cases) {
    test(`between a record that is ${changes.status ?? 'failed'} and ${changes.found?.join(' and ') || 'nothing'} in DNS is: ${is}`, () =>
      assert.equal(differenceOf({ ...MX, ...changes }), is));
  }
});

test('a text that differs from the expected text is split into common start, difference and common end', () => {
  const cases: [found: string, wanted: string, parts: string[]][] = [
    ['v=spf1 a:old.example ~all', 'v=spf1 a:mx.example ~all', ['v=spf1 a:', 'old', '.example ~all']],
    ['v=DKIM1; p=AB', 'v=DKIM1; p=ABCD', ['v=DKIM1; p=AB', '', '']],
    ['aa', 'a', ['a', 'a', '']],
    ['x', 'y', ['', 'x', '']],
    ['same', 'same', ['same', '', '']],
  ];
  for (const [found, wanted, parts] of cases) {
    const { head, middle, tail } = compare(found, wanted);
    assert.deepEqual([head, middle, tail], parts);
    assert.equal(head + middle + tail, found);
  }
});

test('a wrong term is found where it is a term of its own', () => {
  const cases: [text: string, term: string, at: number][] = [
    ['v=spf1 a:all.example all include:small.example', 'all', 21],
    ['v=spf1 a ~all;', '~all;', 9],
    ['v=DKIM1; k=rsa; k=rsa; p=AB', 'k=rsa', 16],
    ['v=DKIM1;; p=AB', ';;', 7],
    ['p=AB', 'p=A', 0],
    ['p=AB', 'h=sha1', -1],
    ['', '', 0],
  ];
  for (const [text, term, at] of cases) assert.equal(indexOfTerm(text, term), at, text);
});

test('record names are relative to the zone, except names outside the zone', () => {
  assert.equal(relativeTo('send.mail.acme.example', 'acme.example'), 'send.mail');
  assert.equal(relativeTo('acme.example', 'acme.example'), '@');
  assert.equal(relativeTo('send.other.example', 'acme.example'), 'send.other.example');
});
