import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { anyText } from '../../../test/support/any-text.ts';
import {
  type SmtpCommandFault,
  type MailParameters,
  parseCommand,
  type SmtpCommand,
} from './parse-command.ts';

const mail = (
  reversePath: string,
  size: number | null = null,
  isUtf8 = false,
  parameters: Partial<MailParameters> = {},
): SmtpCommand => ({
  verb: 'MAIL',
  reversePath,
  size,
  isUtf8,
  returns: null,
  envelopeId: null,
  hasAuthor: false,
  ...parameters,
});
const rcpt = (
  forwardPath: string,
  notify: number | null = null,
  originalRecipient: string | null = null,
): SmtpCommand => ({ verb: 'RCPT', forwardPath, notify, originalRecipient });
const auth = (mechanism: string, initialResponse: string | null = null): SmtpCommand => ({
  verb: 'AUTH',
  mechanism,
  initialResponse,
});
const fault = (what: SmtpCommandFault['fault']): SmtpCommandFault => ({ fault: what });

const cases: [line: string, command: SmtpCommand | SmtpCommandFault][] = [
  ['EHLO mx.example', { verb: 'EHLO', name: 'mx.example' }],
  ['ehlo [192.0.2.1]', { verb: 'EHLO', name: '[192.0.2.1]' }],
  ['HELO x', { verb: 'HELO', name: 'x' }],
  ['EHLO', fault('arguments')],
  ['EHLO a b', fault('arguments')],
  ['MAIL FROM:<>', mail('')],
  ['mail from:<a@b.test>', mail('a@b.test')],
  ['MAIL FROM: <a@b.test>', mail('a@b.test')],
  ['MAIL FROM:<a@b.test>  ', mail('a@b.test')],
  ['MAIL FROM:<@relay.test,@two.test:a@b.test>', mail('a@b.test')],
  ['MAIL FROM:<"a > b"@b.test>', mail('"a > b"@b.test')],
  ['MAIL FROM:<a@b.test> SIZE=100', mail('a@b.test', 100)],
  ['MAIL FROM:<a@b.test>  body=8bitmime  size=0 SMTPUTF8', mail('a@b.test', 0, true)],
  ['MAIL FROM:<ä@b.test> SMTPUTF8', mail('ä@b.test', null, true)],
  ['MAIL FROM:<ä@b.test>', fault('arguments')],
  ['MAIL FROM:a@b.test', fault('arguments')],
  ['MAIL FROM:<a@b.test', fault('arguments')],
  ['MAIL FROM:<a@b.test>x', fault('arguments')],
  ['MAIL FROM:<a@b.test>SIZE=1', fault('arguments')],
  ['MAIL FROM:<a b@b.test>', fault('arguments')],
  ['MAIL FROM:<a@b.test> SIZE=', fault('arguments')],
  ['MAIL FROM:<a@b.test> SIZE=-1', fault('arguments')],
  ['MAIL FROM:<a@b.test> SIZE=1 SIZE=2', fault('arguments')],
  ['MAIL FROM:<a@b.test> BODY=BINARYMIME', fault('arguments')],
  ['MAIL FROM:<a@b.test> BODY=9BITMIME', fault('arguments')],
  ['MAIL FROM:<a@b.test> SMTPUTF8=yes', fault('parameter')],
  ['MAIL FROM:<a@b.test> BY=120;R', fault('parameter')],
  ['MAIL FROM:<a@b.test> RET=HDRS', mail('a@b.test', null, false, { returns: 'headers' })],
  [
    'MAIL FROM:<a@b.test> ret=Full ENVID=QQ+2B1+3D SIZE=3',
    mail('a@b.test', 3, false, { returns: 'full', envelopeId: 'QQ+1=' }),
  ],
  ['MAIL FROM:<a@b.test> RET=BODY', fault('arguments')],
  ['MAIL FROM:<a@b.test> RET', fault('arguments')],
  ['MAIL FROM:<a@b.test> ENVID=', fault('arguments')],
  ['MAIL FROM:<a@b.test> ENVID=a+0D+0ATo:x', fault('arguments')],
  ['MAIL FROM:<a@b.test> ENVID=a+2b', fault('arguments')],
  [`MAIL FROM:<a@b.test> ENVID=${'x'.repeat(101)}`, fault('arguments')],
  ['MAIL FROM:<a@b.test> AUTH=<>', mail('a@b.test', null, false, { hasAuthor: true })],
  ['MAIL FROM:<a@b.test> AUTH=a+3Db@c.test', mail('a@b.test', null, false, { hasAuthor: true })],
  ['MAIL FROM:<a@b.test> AUTH=', fault('arguments')],
  ['MAIL FROM:<a@b.test> AUTH=é', fault('arguments')],
  ['MAIL', fault('arguments')],
  ['MAIL TO:<a@b.test>', fault('arguments')],
  ['RCPT TO:<a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<Postmaster>', rcpt('Postmaster')],
  ['RCPT TO:<@relay.test:a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<>', fault('arguments')],
  ['RCPT TO:<a@b.test> NOTIFY=NEVER', rcpt('a@b.test', 0)],
  ['RCPT TO:<a@b.test> notify=success', rcpt('a@b.test', 1)],
  ['RCPT TO:<a@b.test> NOTIFY=DELAY,FAILURE', rcpt('a@b.test', 6)],
  ['RCPT TO:<a@b.test> NOTIFY=NEVER,DELAY', fault('arguments')],
  ['RCPT TO:<a@b.test> NOTIFY=DELAY,DELAY', fault('arguments')],
  ['RCPT TO:<a@b.test> NOTIFY=', fault('arguments')],
  [
    'RCPT TO:<a@b.test> ORCPT=rfc822;Ada+2Bx@b.test NOTIFY=FAILURE',
    rcpt('a@b.test', 2, 'rfc822;Ada+x@b.test'),
  ],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;J\\x{F6}rg@b.test', rcpt('a@b.test', null, 'utf-8;Jörg@b.test')],
  ['RCPT TO:<a@b.test> ORCPT=UTF-8;Jörg@b.test', rcpt('a@b.test', null, 'UTF-8;Jörg@b.test')],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{0D}b', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{FFFFFF}b', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{D800}b', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;J\\x{F6}rg', rcpt('a@b.test', null, 'rfc822;J\\x{F6}rg')],
  ['RCPT TO:<a@b.test> ORCPT=a@b.test', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;a+0Ab', fault('arguments')],
  ['RCPT TO:<a@b.test> ORCPT=;a@b.test', fault('arguments')],
  ['RCPT TO:<a@b.test> RET=FULL', fault('parameter')],
  ['RCPT TO:<a@b.test>,<c@d.test>', fault('arguments')],
  ['DATA', { verb: 'DATA' }],
  ['data ', { verb: 'DATA' }],
  ['DATA now', fault('arguments')],
  ['BDAT 0 LAST', { verb: 'BDAT', octets: 0, isLast: true }],
  ['bdat 1000', { verb: 'BDAT', octets: 1000, isLast: false }],
  ['BDAT 5 last', { verb: 'BDAT', octets: 5, isLast: true }],
  ['BDAT', fault('arguments')],
  ['BDAT LAST', fault('arguments')],
  ['BDAT -1', fault('arguments')],
  ['BDAT 5 LAST 6', fault('arguments')],
  ['BDAT 9999999999999999', fault('arguments')],
  ['RSET', { verb: 'RSET' }],
  ['QUIT', { verb: 'QUIT' }],
  ['STARTTLS', { verb: 'STARTTLS' }],
  ['STARTTLS please', fault('arguments')],
  ['NOOP', { verb: 'NOOP' }],
  ['NOOP anything at all', { verb: 'NOOP' }],
  ['VRFY someone', { verb: 'VRFY' }],
  ['EXPN list', { verb: 'EXPN' }],
  ['HELP', { verb: 'HELP' }],
  ['AUTH PLAIN', auth('PLAIN')],
  ['auth login dXNlcg==', auth('login', 'dXNlcg==')],
  ['AUTH PLAIN =', auth('PLAIN', '=')],
  ['AUTH', fault('arguments')],
  ['AUTH PLAIN a b', fault('arguments')],
  ['AUTH PLAIN <a>', fault('arguments')],
  ['GET / HTTP/1.1', fault('unknown')],
  ['', fault('unknown')],
  [' EHLO x', fault('unknown')],
  ['DATA\0', fault('malformed')],
  ['EHLO a\rb', fault('malformed')],
  ['RCPT TO:<a\t@b.test>', fault('malformed')],
  ['MAIL FROM:<\ufffd@b.test> SMTPUTF8', fault('malformed')],
];

describe('parseCommand of SMTP', () => {
  for (const [line, command] of cases) {
    test(`parseCommand ${'fault' in command ? 'rejects' : 'parses'} ${JSON.stringify(line)}`, () =>
      assert.deepEqual(parseCommand(line), command));
  }

  test('parseCommand parses or rejects any line, and returns only valid paths', () => {
    const part = fc.constantFrom(
      'MAIL FROM:',
      'RCPT TO:',
      'EHLO',
      ' ',
      '<',
      '>',
      '@',
      ':',
      '"',
      '\\',
      'a',
      '.test',
      'SIZE=',
      '1',
      'SMTPUTF8',
      'é',
      '\r',
      '\n',
      '\0',
      '\ud800',
      '\u2028',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(part, { maxLength: 14 }).map((parts) => parts.join('')),
          anyText(),
        ),
        (line) => {
          const command = parseCommand(line);
          if ('fault' in command) return;
          if (command.verb === 'RCPT') assert.match(command.forwardPath, /^(?:[^<>" ]|"(?:[^"\\]|\\.)*")+$/);
          if (command.verb === 'MAIL') assert.doesNotMatch(command.reversePath, /[\r\n\0]/);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test('parseCommand takes linear time for hostile lines', () => {
    const usedMs = processorClock();
    for (const hostile of ['"\\', '<', '@a:', '" "', ' ', 'SIZE=1 ']) {
      parseCommand(`MAIL FROM:<${hostile.repeat(50_000)}`);
      parseCommand(`MAIL FROM:<> ${hostile.repeat(50_000)}`);
    }
    assert.ok(usedMs() < 1_000);
  });
});
