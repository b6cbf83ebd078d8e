import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forwardedCopy } from './forwarded-copy.ts';

const REST = 'From: b@sender.example\r\nSubject: Hello\r\n\r\nHow are you?\r\n';
const RECEIVED = 'Received: from mail.sender.example ([192.0.2.1])\r\n\tby mx.acme.example;\r\n\tnow\r\n';
const filed = (results: string, front = 'Return-Path: <b@sender.example>\r\n') =>
  Buffer.from(`${front}${RECEIVED}Authentication-Results: mx.acme.example;\r\n\t${results}\r\n${REST}`);

test('a forwarded message has no Return-Path, and begins with Delivered-To', () => {
  const copy = forwardedCopy(filed('spf=pass; arc=none'), 'anna@acme.example');
  assert.equal(copy.added, 'Delivered-To: anna@acme.example\r\n');
  assert.ok(copy.rest.toString().startsWith('Received: from'));
  assert.ok(copy.rest.toString().endsWith(REST));
  assert.equal(copy.header, copy.added + copy.rest.toString().split('\r\n\r\n')[0] + '\r\n');
  assert.equal(copy.body.toString(), 'How are you?\r\n');
  assert.equal(copy.results, 'mx.acme.example; spf=pass; arc=none');
});

test('an existing Delivered-To of the mailbox is not repeated', () => {
  const front = 'Return-Path: <>\r\nDelivered-To: anna@acme.example\r\n';
  assert.equal(forwardedCopy(filed('spf=pass', front), 'anna@acme.example').added, '');
  assert.notEqual(forwardedCopy(filed('spf=pass', front), 'sales@acme.example').added, '');
});

test('non-ASCII characters of a forwarded message are preserved', () => {
  const copy = forwardedCopy(filed('spf=pass'), 'änna@acme.example');
  assert.equal(Buffer.from(copy.added, 'latin1').toString(), 'Delivered-To: änna@acme.example\r\n');
});

describe('the result of the ARC verification', () => {
  for (const [results, chain] of [
    ['spf=pass; arc=pass (a.example b.example); iprev=pass', 'pass'],
    ['spf=pass; arc=fail; iprev=pass', 'fail'],
    ['spf=pass; arc=none; iprev=pass', 'none'],
    ['auth=pass smtp.mailfrom=acme.example', 'none'],
    ['spf=pass smtp.mailfrom="x; arc=pass"; arc=fail', 'fail'],
    ['spf=pass (; arc=pass) smtp.mailfrom=a.example; arc=fail', 'fail'],
  ] as const)
    test(`is ${chain} for ${results}`, () =>
      assert.equal(forwardedCopy(filed(results), 'anna@acme.example').chain, chain));
});

for (const raw of ['', '\r\n', 'x', 'Return-Path: <>\r\n', 'Return-Path: <>'])
  test(`forwardedCopy does not throw for ${JSON.stringify(raw)}`, () => {
    forwardedCopy(Buffer.from(raw), 'anna@acme.example');
  });
