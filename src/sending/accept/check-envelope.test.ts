import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendEmail } from '../../contract/emails.ts';
import { AppError } from '../../model/app-error.ts';
import { checkEnvelope, MAX_RECIPIENTS } from './check-envelope.ts';

const BASE: SendEmail = { from: 'Acme <a@src.test>', to: ['b@dst.test'], text: 'x' };

function errorsOf(send: Partial<SendEmail>): Readonly<Record<string, string>> | undefined {
  try {
    checkEnvelope({ ...BASE, ...send });
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'validation-failed');
    return error.errors;
  }
  return undefined;
}

test('two spellings of one address in to, cc and bcc give one recipient', () => {
  const { recipients } = checkEnvelope({
    ...BASE,
    to: ['b@dst.test', 'B Name <b@DST.test>'],
    cc: ['"b"@dst.test', 'c@dst.test'],
    bcc: ['c@dst.test', 'B@dst.test'],
  });
  assert.deepEqual(recipients, ['b@dst.test', 'c@dst.test', 'B@dst.test']);
});

test('internationalized domains become A-labels in the envelope', () => {
  assert.deepEqual(checkEnvelope({ ...BASE, to: ['ü@bücher.example'] }).recipients, [
    'ü@xn--bcher-kva.example',
  ]);
});

test('50 recipients are accepted and 51 are rejected', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `r${at}@dst.test`);
  assert.equal(errorsOf({ to: addresses(MAX_RECIPIENTS) }), undefined);
  assert.match(errorsOf({ to: addresses(25), bcc: addresses(51) })?.['to'] ?? '', /at most 50 recipients/);
});

test('an empty html or text counts as missing', () => {
  assert.equal(errorsOf({ html: '' }), undefined);
  assert.equal(errorsOf({ html: 'a', text: '' }), undefined);
  assert.deepEqual(Object.keys(errorsOf({ html: '', text: '' }) ?? {}), ['html', 'text']);
  assert.deepEqual(Object.keys(errorsOf({ text: '' }) ?? {}), ['html', 'text']);
});

test('the error names each invalid field, and the invalid element of a list', () => {
  const errors = errorsOf({
    from: 'nobody',
    to: ['ok@x.test', 'bad'],
    cc: ['a@b@c'],
    bcc: ['@'],
    reply_to: 'x',
    subject: 'a\nb',
  });
  assert.deepEqual(Object.keys(errors ?? {}).toSorted(), ['bcc', 'cc', 'from', 'reply_to', 'subject', 'to']);
  assert.match(errors?.['to'] ?? '', /^to\[1\]: /);
});

test('a line break in an address is rejected', () => {
  for (const to of ['a@b.test\r\nBcc: x@y.test', 'A\nB <a@b.test>', 'a@b.test\n', '"a\r\n b"@c.test']) {
    assert.ok(errorsOf({ to: [to] })?.['to'], JSON.stringify(to));
  }
});

const refused: [name: string, value: string, why: RegExp][] = [
  ['From', 'x@y.test', /the service sets this field/],
  ['bcc', 'x@y.test', /the service sets this field/],
  ['MESSAGE-ID', '<x@y>', /the service sets this field/],
  ['Return-Path', '<>', /the service sets this field/],
  ['Content-Type', 'text/html', /the service sets this field/],
  ['content-anything', 'x', /the service sets this field/],
  ['DKIM-Signature', 'v=1', /the service sets this field/],
  ['ARC-Seal', 'i=1', /the service sets this field/],
  ['Authentication-Results', 'x', /the service sets this field/],
  ['X-Posthorn-Id', 'x', /the service sets this field/],
  ['X-SMTPAPI', '{"send_at":1}', /controls the mail servers along the route/],
  ['x-smtpapi', '{}', /controls the mail servers along the route/],
  ['X-Mailgun-Drop-Message', 'yes', /controls the mail servers along the route/],
  ['X-PM-Message-Stream', 'broadcast', /controls the mail servers along the route/],
  ['X-MJ-TemplateID', '1', /controls the mail servers along the route/],
  ['X-Mailjet-TrackClick', '1', /controls the mail servers along the route/],
  ['X-MSYS-API', '{}', /controls the mail servers along the route/],
  ['X-MC-BccAddress', 'x@y.test', /controls the mail servers along the route/],
  ['X-SES-CONFIGURATION-SET', 'other', /controls the mail servers along the route/],
  ['sender.ip', '192.0.2.1', /controls the mail servers along the route/],
  ['X-Sib-Sandbox', 'drop', /controls the mail servers along the route/],
  ['X-ElasticEmail-Channel', 'x', /controls the mail servers along the route/],
  ['X-MS-Exchange-Organization-SCL', '-1', /controls the mail servers along the route/],
  ['X-virtual-MTA', 'shared', /controls the mail servers along the route/],
  ['Resent-Bcc', 'x@y.test', /controls the mail servers along the route/],
  ['Resent-From', 'posthorn@hosted.test', /controls the mail servers along the route/],
  ['resent-SENDER', 'posthorn@hosted.test', /controls the mail servers along the route/],
  ['Resent-From ', 'posthorn@hosted.test', /printable ASCII/],
  ['Errors-To', 'x@y.test', /controls the mail servers along the route/],
  ['Return-Receipt-To', 'x@y.test', /controls the mail servers along the route/],
  ['Delivered-To', 'b@dst.test', /controls the mail servers along the route/],
  ['X Space', 'x', /printable ASCII/],
  ['X:Colon', 'x', /printable ASCII/],
  ['', 'x', /printable ASCII/],
  ['X-Ümlaut', 'x', /printable ASCII/],
  ['X-Break', 'a\r\nBcc: x@y.test', /line breaks/],
  ['X-Lf', 'a\nb', /line breaks/],
  ['X-Bell', 'a\u0007', /control/],
];

for (const [name, value, why] of refused) {
  test(`checkEnvelope rejects the header field ${JSON.stringify(name)} with the value ${JSON.stringify(value.slice(0, 20))}`, () => {
    assert.match(errorsOf({ headers: { [name]: value } })?.['headers'] ?? '', why);
  });
}

test('two spellings of one header field name are rejected', () => {
  assert.match(errorsOf({ headers: { 'X-A': '1', 'x-a': '2' } })?.['headers'] ?? '', /appears twice/);
});

test('ordinary header fields of the caller are accepted', () => {
  const headers = {
    'List-Unsubscribe': '<https://x.test/u>',
    'In-Reply-To': '<a@b>',
    References: '<a@b> <c@d>',
    'X-A': 'ü\ttab',
    Precedence: 'bulk',
    'Auto-Submitted': 'auto-generated',
    'Disposition-Notification-To': 'a@src.test',
    'X-Auto-Response-Suppress': 'All',
    'X-Mailer': 'ours',
    'X-Sesame': 'open',
    'X-PMO': '1',
  };
  assert.equal(errorsOf({ headers }), undefined);
});

test('the header field Reply-To is accepted, but not together with the field reply_to', () => {
  assert.equal(errorsOf({ headers: { 'Reply-To': 'Help <help@src.test>' } }), undefined);
  assert.match(errorsOf({ headers: { 'Reply-To': 'nobody' } })?.['headers'] ?? '', /not an address/);
  assert.match(
    errorsOf({ headers: { 'Reply-To': 'a@b.test' }, reply_to: 'c@d.test' })?.['headers'] ?? '',
    /repeats reply_to/,
  );
});
