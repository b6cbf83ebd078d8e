import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { greetCommand, mailCommand, plainResponse, rcptCommand } from './commands.ts';

const plain = { size: null, eightBitMime: false, smtpUtf8: false };

test('MAIL has the parameters of the extensions that the server offers', () => {
  assert.equal(mailCommand('a@example.com', plain), 'MAIL FROM:<a@example.com>\r\n');
  assert.equal(mailCommand('', plain), 'MAIL FROM:<>\r\n');
  assert.equal(
    mailCommand('ä@example.com', { size: 12, eightBitMime: true, smtpUtf8: true }),
    'MAIL FROM:<ä@example.com> SIZE=12 BODY=8BITMIME SMTPUTF8\r\n',
  );
});

describe('RCPT', () => {
  const longest = `${'a'.repeat(64)}@${'b'.repeat(251)}.com`;
  const accepted = [
    'a@example.com',
    'a.b+c=d/e@mail.example.com',
    'two..dots@example.com',
    '"a b"@example.com',
    '"a>b\\"c"@example.com',
    'a@[192.0.2.1]',
    'a@[IPv6:2001:db8::1]',
    longest,
  ];
  for (const address of accepted) {
    test(`RCPT accepts ${address.slice(0, 40)}`, () => {
      assert.equal(rcptCommand(address, false), `RCPT TO:<${address}>\r\n`);
    });
  }

  const refused = [
    '',
    'a',
    '@example.com',
    'a@',
    'a@b@example.com',
    'a b@example.com',
    'a@example.com> SIZE=1',
    'a@example.com>\r\nRCPT TO:<b@example.com',
    'a@example.com\n',
    'a@exam\0ple.com',
    '"a\r\n"@example.com',
    '"a\\\n"@example.com',
    '"a"b"@example.com',
    '<a@example.com>',
    '@relay.example:a@example.com',
    'a,b@example.com',
    'a@[1.2.3.4]>',
    'a@example.com\u00a0x',
    `a${longest}`,
  ];
  for (const address of refused) {
    test(`RCPT rejects ${JSON.stringify(address).slice(0, 60)}`, () => {
      assert.equal(rcptCommand(address, false), null);
      assert.equal(rcptCommand(address, true), null);
    });
  }

  test('RCPT accepts a non-ASCII address only with SMTPUTF8', () => {
    assert.equal(rcptCommand('ä@example.com', false), null);
    assert.equal(rcptCommand('ä@example.com', true), 'RCPT TO:<ä@example.com>\r\n');
  });
});

test('EHLO accepts only a domain or an address literal', () => {
  assert.equal(greetCommand('EHLO', 'mail.example.com'), 'EHLO mail.example.com\r\n');
  assert.equal(greetCommand('HELO', '[IPv6:2001:db8::1]'), 'HELO [IPv6:2001:db8::1]\r\n');
  assert.equal(greetCommand('EHLO', 'a b'), null);
  assert.equal(greetCommand('EHLO', 'a\r\nMAIL'), null);
  assert.equal(greetCommand('EHLO', ''), null);
});

test('plainResponse encodes the user name and the password, and rejects NUL', () => {
  assert.equal(Buffer.from(plainResponse('ann', 'pä ss') ?? '', 'base64').toString(), '\0ann\0pä ss');
  assert.equal(plainResponse('ann\0root', 'x'), null);
});

test('a command with any address is one line with one path', () => {
  const part = fc.constantFrom(
    'a',
    '@',
    '"',
    '\\',
    '<',
    '>',
    '\r',
    '\n',
    ' ',
    '.',
    'é',
    '[',
    ']',
    ':',
    '\u2028',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, smtpUtf8) => {
      const command = rcptCommand(parts.join(''), smtpUtf8);
      if (command === null) return;
      assert.match(command, /^RCPT TO:<(?:[^\s<>"]+|"(?:[^"\\\r\n]|\\[ -~])*"@[^\s<>"]+)>\r\n$/);
    }),
    { numRuns: runs(2_000) },
  );
});
