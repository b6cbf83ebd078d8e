import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { type CommandFault, parseCommand, type SmtpCommand } from './parse-command.ts';

const mail = (reversePath: string, size: number | null = null, isUtf8 = false): SmtpCommand => ({
  verb: 'MAIL',
  reversePath,
  size,
  isUtf8,
});
const rcpt = (forwardPath: string): SmtpCommand => ({ verb: 'RCPT', forwardPath });
const fault = (what: CommandFault['fault']): CommandFault => ({ fault: what });

const cases: [line: string, command: SmtpCommand | CommandFault][] = [
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
  ['MAIL FROM:<a@b.test> RET=HDRS', fault('parameter')],
  ['MAIL FROM:<a@b.test> AUTH=<>', fault('parameter')],
  ['MAIL', fault('arguments')],
  ['MAIL TO:<a@b.test>', fault('arguments')],
  ['RCPT TO:<a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<Postmaster>', rcpt('Postmaster')],
  ['RCPT TO:<@relay.test:a@b.test>', rcpt('a@b.test')],
  ['RCPT TO:<>', fault('arguments')],
  ['RCPT TO:<a@b.test> NOTIFY=NEVER', fault('parameter')],
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
  ['AUTH PLAIN', fault('unknown')],
  ['GET / HTTP/1.1', fault('unknown')],
  ['', fault('unknown')],
  [' EHLO x', fault('unknown')],
  ['DATA\0', fault('malformed')],
  ['EHLO a\rb', fault('malformed')],
  ['RCPT TO:<a\t@b.test>', fault('malformed')],
  ['MAIL FROM:<\ufffd@b.test> SMTPUTF8', fault('malformed')],
];

describe('a command', () => {
  for (const [line, command] of cases) {
    test(JSON.stringify(line), () => assert.deepEqual(parseCommand(line), command));
  }

  test('of any kind is read or refused, and no path holds what a path cannot', () => {
    const part = fc.constantFrom(
      ...['MAIL FROM:', 'RCPT TO:', 'EHLO', ' ', '<', '>', '@', ':', '"', '\\', 'a', '.test', 'SIZE=', '1'],
      ...['SMTPUTF8', 'é', '\r', '\n', '\0', '\ud800', '\u2028'],
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
      { numRuns: 2_000 },
    );
  });

  test('that is made to be slow is as fast as any', () => {
    const usedMs = processorClock();
    for (const hostile of ['"\\', '<', '@a:', '" "', ' ', 'SIZE=1 ']) {
      parseCommand(`MAIL FROM:<${hostile.repeat(50_000)}`);
      parseCommand(`MAIL FROM:<> ${hostile.repeat(50_000)}`);
    }
    assert.ok(usedMs() < 1_000);
  });
});
