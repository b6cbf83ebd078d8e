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
const faulty = (rule: string): SmtpCommandFault => ({ fault: 'arguments', rule });
const syntax = (syntax: string): SmtpCommandFault => faulty(`Syntax: ${syntax}`);
const unsupported = (rule: string): SmtpCommandFault => ({ fault: 'parameter', rule });
const MAIL_SYNTAX = syntax('MAIL FROM:<address>');
const RCPT_SYNTAX = syntax('RCPT TO:<address>');
const ENVID = faulty('ENVID must be xtext of at most 100 characters');
const NOTIFY = faulty('NOTIFY must be NEVER, or a list of SUCCESS, FAILURE and DELAY');
const ORCPT = faulty('ORCPT must be an address type, a semicolon, and an address in xtext');

const cases: [line: string, command: SmtpCommand | SmtpCommandFault][] = [
  ['EHLO mx.example', { verb: 'EHLO', name: 'mx.example' }],
  ['ehlo [192.0.2.1]', { verb: 'EHLO', name: '[192.0.2.1]' }],
  ['HELO x', { verb: 'HELO', name: 'x' }],
  ['EHLO', syntax('EHLO hostname')],
  ['EHLO a b', syntax('EHLO hostname')],
  ['MAIL FROM:<>', mail('')],
  ['mail from:<a@b.test>', mail('a@b.test')],
  ['MAIL FROM: <a@b.test>', mail('a@b.test')],
  ['MAIL FROM:<a@b.test>  ', mail('a@b.test')],
  ['MAIL FROM:<@relay.test,@two.test:a@b.test>', mail('a@b.test')],
  ['MAIL FROM:<"a > b"@b.test>', mail('"a > b"@b.test')],
  ['MAIL FROM:<a@b.test> SIZE=100', mail('a@b.test', 100)],
  ['MAIL FROM:<a@b.test>  body=8bitmime  size=0 SMTPUTF8', mail('a@b.test', 0, true)],
  ['MAIL FROM:<ä@b.test> SMTPUTF8', mail('ä@b.test', null, true)],
  ['MAIL FROM:<ä@b.test>', { fault: 'needsUtf8' }],
  ['MAIL FROM:a@b.test', mail('a@b.test')],
  ['MAIL FROM: a@b.test SIZE=3', mail('a@b.test', 3)],
  ['MAIL FROM:"a > b"@b.test', mail('"a > b"@b.test')],
  ['MAIL FROM:<a@b.test.>', mail('a@b.test')],
  ['MAIL FROM:<a@b.test..>', mail('a@b.test..')],
  ['MAIL FROM:<a.>', mail('a.')],
  ['MAIL FROM:a', MAIL_SYNTAX],
  ['MAIL FROM:', MAIL_SYNTAX],
  ['MAIL FROM: SIZE=3', MAIL_SYNTAX],
  ['MAIL FROM:a@b.test>', MAIL_SYNTAX],
  ['MAIL FROM:"a @b.test', MAIL_SYNTAX],
  ['MAIL FROM:<a@b.test> \u00e9=1', unsupported('Unsupported parameter')],
  ['MAIL FROM:<a@b.test', MAIL_SYNTAX],
  ['MAIL FROM:<a@b.test>x', MAIL_SYNTAX],
  ['MAIL FROM:<a@b.test>SIZE=1', MAIL_SYNTAX],
  ['MAIL FROM:<a b@b.test>', MAIL_SYNTAX],
  ['MAIL FROM:<a@b.test> SIZE=', faulty('SIZE must be a number of octets')],
  ['MAIL FROM:<a@b.test> SIZE=-1', faulty('SIZE must be a number of octets')],
  ['MAIL FROM:<a@b.test> SIZE=1 SIZE=2', faulty('SIZE is given twice')],
  ['MAIL FROM:<a@b.test> BODY=BINARYMIME', faulty('BODY must be 7BIT or 8BITMIME')],
  ['MAIL FROM:<a@b.test> BODY=9BITMIME', faulty('BODY must be 7BIT or 8BITMIME')],
  ['MAIL FROM:<a@b.test> SMTPUTF8=yes', faulty('SMTPUTF8 takes no value')],
  ['MAIL FROM:<a@b.test> BY=120;R', unsupported('Unsupported parameter BY')],
  ['MAIL FROM:<a@b.test> RET=HDRS', mail('a@b.test', null, false, { returns: 'headers' })],
  [
    'MAIL FROM:<a@b.test> ret=Full ENVID=QQ+2B1+3D SIZE=3',
    mail('a@b.test', 3, false, { returns: 'full', envelopeId: 'QQ+1=' }),
  ],
  ['MAIL FROM:<a@b.test> RET=BODY', faulty('RET must be FULL or HDRS')],
  ['MAIL FROM:<a@b.test> RET', faulty('RET must be FULL or HDRS')],
  ['MAIL FROM:<a@b.test> ENVID=', ENVID],
  ['MAIL FROM:<a@b.test> ENVID=a+0D+0ATo:x', ENVID],
  ['MAIL FROM:<a@b.test> ENVID=a+2b', ENVID],
  [`MAIL FROM:<a@b.test> ENVID=${'x'.repeat(101)}`, ENVID],
  ['MAIL FROM:<a@b.test> AUTH=<>', mail('a@b.test', null, false, { hasAuthor: true })],
  ['MAIL FROM:<a@b.test> AUTH=a+3Db@c.test', mail('a@b.test', null, false, { hasAuthor: true })],
  ['MAIL FROM:<a@b.test> AUTH=', faulty('AUTH must be an address in xtext, or <>')],
  ['MAIL FROM:<a@b.test> AUTH=é', faulty('AUTH must be an address in xtext, or <>')],
  ['MAIL', MAIL_SYNTAX],
  ['MAIL TO:<a@b.test>', MAIL_SYNTAX],
  ['RCPT TO:<a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<Postmaster>', rcpt('Postmaster')],
  ['RCPT TO:postmaster', rcpt('postmaster')],
  ['RCPT TO: a@b.test NOTIFY=NEVER', rcpt('a@b.test', 0)],
  ['RCPT TO:a@b.test.', rcpt('a@b.test')],
  ['RCPT TO:<a.@b.test.>', rcpt('a.@b.test')],
  ['RCPT TO:<"a@b."@[192.0.2.1]>', rcpt('"a@b."@[192.0.2.1]')],
  ['RCPT TO:a@b.test,c@d.test', rcpt('a@b.test,c@d.test')],
  ['RCPT TO:nobody', RCPT_SYNTAX],
  ['RCPT TO:<@relay.test:a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<>', RCPT_SYNTAX],
  ['RCPT TO:<a@b.test> NOTIFY=NEVER', rcpt('a@b.test', 0)],
  ['RCPT TO:<a@b.test> notify=success', rcpt('a@b.test', 1)],
  ['RCPT TO:<a@b.test> NOTIFY=DELAY,FAILURE', rcpt('a@b.test', 6)],
  ['RCPT TO:<a@b.test> NOTIFY=NEVER,DELAY', NOTIFY],
  ['RCPT TO:<a@b.test> NOTIFY=DELAY,DELAY', NOTIFY],
  ['RCPT TO:<a@b.test> NOTIFY=', NOTIFY],
  [
    'RCPT TO:<a@b.test> ORCPT=rfc822;Ada+2Bx@b.test NOTIFY=FAILURE',
    rcpt('a@b.test', 2, 'rfc822;Ada+x@b.test'),
  ],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;J\\x{F6}rg@b.test', rcpt('a@b.test', null, 'utf-8;Jörg@b.test')],
  ['RCPT TO:<a@b.test> ORCPT=UTF-8;Jörg@b.test', rcpt('a@b.test', null, 'UTF-8;Jörg@b.test')],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{0D}b', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{FFFFFF}b', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=utf-8;a\\x{D800}b', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;J\\x{F6}rg', rcpt('a@b.test', null, 'rfc822;J\\x{F6}rg')],
  ['RCPT TO:<a@b.test> ORCPT=a@b.test', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=rfc822;a+0Ab', ORCPT],
  ['RCPT TO:<a@b.test> ORCPT=;a@b.test', ORCPT],
  ['RCPT TO:<a@b.test> RET=FULL', unsupported('Unsupported parameter RET')],
  ['RCPT TO:<a@b.test>,<c@d.test>', RCPT_SYNTAX],
  ['DATA', { verb: 'DATA' }],
  ['data ', { verb: 'DATA' }],
  ['DATA now', faulty('DATA takes no arguments')],
  ['BDAT 0 LAST', { verb: 'BDAT', octets: 0, isLast: true }],
  ['bdat 1000', { verb: 'BDAT', octets: 1000, isLast: false }],
  ['BDAT 5 last', { verb: 'BDAT', octets: 5, isLast: true }],
  ['BDAT', syntax('BDAT octets [LAST]')],
  ['BDAT LAST', syntax('BDAT octets [LAST]')],
  ['BDAT -1', syntax('BDAT octets [LAST]')],
  ['BDAT 5 LAST 6', syntax('BDAT octets [LAST]')],
  ['BDAT 9999999999999999', syntax('BDAT octets [LAST]')],
  ['RSET', { verb: 'RSET' }],
  ['QUIT', { verb: 'QUIT' }],
  ['STARTTLS', { verb: 'STARTTLS' }],
  ['STARTTLS please', faulty('STARTTLS takes no arguments')],
  ['NOOP', { verb: 'NOOP' }],
  ['NOOP anything at all', { verb: 'NOOP' }],
  ['VRFY someone', { verb: 'VRFY' }],
  ['EXPN list', { verb: 'EXPN' }],
  ['HELP', { verb: 'HELP' }],
  ['AUTH PLAIN', auth('PLAIN')],
  ['auth login dXNlcg==', auth('login', 'dXNlcg==')],
  ['AUTH PLAIN =', auth('PLAIN', '=')],
  ['AUTH', syntax('AUTH mechanism [initial-response in base64]')],
  ['AUTH PLAIN a b', syntax('AUTH mechanism [initial-response in base64]')],
  ['AUTH PLAIN <a>', syntax('AUTH mechanism [initial-response in base64]')],
  ['GET / HTTP/1.1', { fault: 'unknown' }],
  ['', { fault: 'unknown' }],
  [' EHLO x', { fault: 'unknown' }],
  ['DATA\0', { fault: 'malformed' }],
  ['EHLO a\rb', { fault: 'malformed' }],
  ['RCPT TO:<a\t@b.test>', { fault: 'malformed' }],
  ['MAIL FROM:<\ufffd@b.test> SMTPUTF8', { fault: 'malformed' }],
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
    for (const hostile of ['"\\', '<', '@a:', '" "', ' ', 'SIZE=1 ', 'a@b.']) {
      parseCommand(`MAIL FROM:<${hostile.repeat(50_000)}`);
      parseCommand(`MAIL FROM:${hostile.repeat(50_000)}<`);
      parseCommand(`MAIL FROM:<> ${hostile.repeat(50_000)}`);
    }
    assert.ok(usedMs() < 1_000);
  });
});
