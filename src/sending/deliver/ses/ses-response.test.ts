import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judge, readSesResponse, type SesVerdict } from './ses-response.ts';

const cases: [status: number, type: string | null, message: string, verdict: SesVerdict][] = [
  [429, 'TooManyRequestsException', 'Maximum sending rate exceeded.', 'too-fast'],
  [429, null, '', 'too-fast'],
  [400, 'ThrottlingException', 'Rate exceeded', 'too-fast'],
  [400, 'Throttling', 'Maximum sending rate exceeded.', 'too-fast'],
  [429, 'TooManyRequestsException', 'Daily message quota exceeded.', 'quota'],
  [400, 'LimitExceededException', 'x', 'quota'],
  [400, 'SendingPausedException', 'Sending paused for this account.', 'account'],
  [400, 'AccountSuspendedException', 'x', 'account'],
  [404, 'NotFoundException', 'Configuration set <posthorn> does not exist.', 'account'],
  [400, 'BadRequestException', 'Configuration set name is not valid', 'account'],
  [404, null, '<html>', 'account'],
  [403, 'InvalidSignatureException', 'x', 'access'],
  [403, 'UnrecognizedClientException', 'x', 'access'],
  [403, 'InvalidClientTokenId', 'x', 'access'],
  [403, 'ExpiredTokenException', 'x', 'access'],
  [400, 'RequestExpired', 'Signature expired', 'access'],
  [400, 'IncompleteSignature', 'x', 'access'],
  [401, null, '', 'access'],
  [403, null, '', 'access'],
  [403, 'AccessDeniedException', 'User: arn:aws:iam::1:user/p is not authorized', 'not-yet'],
  [400, 'AccessDenied', 'x', 'not-yet'],
  [400, 'MailFromDomainNotVerifiedException', 'x', 'not-yet'],
  [400, 'MessageRejected', 'Email address is not verified. The following identities failed', 'not-yet'],
  [400, 'MessageRejected', 'Transaction failed: Illegal header', 'refused'],
  [400, 'BadRequestException', 'Illegal address', 'refused'],
  [400, 'BadRequestException', 'Illegal address: configuration set@x', 'refused'],
  [400, 'BadRequestException', 'Illegal address: daily message quota@x', 'refused'],
  [400, 'ValidationException', 'x', 'refused'],
  [413, null, '', 'refused'],
  [400, null, '', 'not-yet'],
  [400, 'SomethingElse', 'x', 'not-yet'],
  [400, 'constructor', 'x', 'not-yet'],
  [418, null, '', 'not-yet'],
  [500, 'InternalFailure', 'x', 'away'],
  [500, 'InternalServiceErrorException', 'x', 'away'],
  [503, 'ServiceUnavailable', 'x', 'away'],
  [502, null, '<html>', 'away'],
  [302, null, '', 'away'],
  [204, null, '', 'away'],
];

for (const [status, type, message, verdict] of cases) {
  test(`${status} ${type ?? 'without a type'}, ${JSON.stringify(message)} has the verdict ${verdict}`, () => {
    assert.equal(judge(readSesResponse(status, type, JSON.stringify({ message }))), verdict);
  });
}

test('only a 200 with a message id counts as accepted', () => {
  assert.equal(judge(readSesResponse(200, null, '{"MessageId":"0107"}')), 'taken');
  for (const body of ['', '{}', '{"MessageId":""}', '{"MessageId":5}', '<html>Log in', 'null', '[]'])
    assert.equal(judge(readSesResponse(200, null, body)), 'away', body);
  assert.equal(judge(readSesResponse(500, null, '{"MessageId":"0107"}')), 'away');
});

test('the error type is found in every position where AWS services write it', () => {
  const url = 'http://internal.amazon.example/coral/';
  assert.equal(readSesResponse(400, `MessageRejected:${url}`, '').errorType, 'MessageRejected');
  assert.equal(
    readSesResponse(400, null, '{"__type":"com.amazonaws.ses#MessageRejected"}').errorType,
    'MessageRejected',
  );
  assert.equal(readSesResponse(400, null, '{"code":"MessageRejected"}').errorType, 'MessageRejected');
  assert.equal(readSesResponse(400, 'x', '{"Message":"with a capital"}').message, 'with a capital');
});

test('every response has a verdict, and only a response of SES itself accepts or rejects a message permanently', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 999 }),
      fc.option(fc.string()),
      fc.oneof(fc.string(), fc.json()),
      (status, type, body) => {
        const answer = readSesResponse(status, type, body);
        const verdict = judge(answer);
        assert.ok(verdict !== 'taken' || status === 200);
        assert.ok(verdict !== 'refused' || status === 413 || answer.errorType !== null);
      },
    ),
  );
});

test('a message id is cut and made printable, even if the response is not from SES', () => {
  const id = (text: string) => readSesResponse(200, null, JSON.stringify({ MessageId: text })).messageId;
  assert.equal(id('0107-1'), '0107-1');
  // PostgreSQL accepts JSON with these characters, but cannot convert it to text.
  assert.equal(id('a\u0000b\ud800'), 'a?b?');
  assert.equal(id('x'.repeat(300)), 'x'.repeat(255));
});
