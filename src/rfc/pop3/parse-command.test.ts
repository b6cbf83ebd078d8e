import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { parsePop3Command, type Pop3Command, type Pop3Fault } from './parse-command.ts';

const faulty = (rule: string): Pop3Fault => ({ fault: 'arguments', rule });

const cases: [line: string, command: Pop3Command | Pop3Fault][] = [
  ['STAT', { verb: 'STAT' }],
  ['stat', { verb: 'STAT' }],
  ['STAT ', { verb: 'STAT' }],
  ['STAT 1', faulty('STAT takes no arguments')],
  ['UTF8', { verb: 'UTF8' }],
  ['USER anna@a.example', { verb: 'USER', name: 'anna@a.example' }],
  ['USER änna@a.example', { verb: 'USER', name: 'änna@a.example' }],
  ['USER', faulty('Syntax: USER name')],
  ['USER  ', faulty('Syntax: USER name')],
  ['PASS secret', { verb: 'PASS', password: 'secret' }],
  ['PASS  two words ', { verb: 'PASS', password: ' two words ' }],
  ['pass PaSs', { verb: 'PASS', password: 'PaSs' }],
  ['PASS', faulty('Syntax: PASS password')],
  ['PASS ', faulty('Syntax: PASS password')],
  ['PASS a\ufffd', { fault: 'malformed' }],
  ['LIST', { verb: 'LIST', message: null }],
  ['LIST 1', { verb: 'LIST', message: 1 }],
  ['LIST 007', { verb: 'LIST', message: 7 }],
  ['LIST -1', faulty('Syntax: LIST [message-number]')],
  ['LIST 1 2', faulty('Syntax: LIST [message-number]')],
  ['LIST 99999999999', faulty('Syntax: LIST [message-number]')],
  ['UIDL', { verb: 'UIDL', message: null }],
  ['UIDL 2', { verb: 'UIDL', message: 2 }],
  ['RETR 3', { verb: 'RETR', message: 3 }],
  ['RETR', faulty('Syntax: RETR message-number')],
  ['RETR x', faulty('Syntax: RETR message-number')],
  ['DELE 4', { verb: 'DELE', message: 4 }],
  ['TOP 1 0', { verb: 'TOP', message: 1, lines: 0 }],
  ['TOP 1  10', { verb: 'TOP', message: 1, lines: 10 }],
  ['TOP 1', faulty('Syntax: TOP message-number number-of-lines')],
  ['TOP 1 2 3', faulty('Syntax: TOP message-number number-of-lines')],
  ['AUTH', { verb: 'AUTH', mechanism: null, initialResponse: null }],
  ['AUTH plain', { verb: 'AUTH', mechanism: 'PLAIN', initialResponse: null }],
  ['AUTH PLAIN =', { verb: 'AUTH', mechanism: 'PLAIN', initialResponse: '=' }],
  ['AUTH PLAIN AGEAYg==', { verb: 'AUTH', mechanism: 'PLAIN', initialResponse: 'AGEAYg==' }],
  ['AUTH PLAIN a b', faulty('Syntax: AUTH [mechanism [initial-response in base64]]')],
  ['AUTH PLAIN !', faulty('Syntax: AUTH [mechanism [initial-response in base64]]')],
  ['APOP anna c4c9334bac560ecc979e58001b3e22fb', { fault: 'unknown' }],
  ['XTND x', { fault: 'unknown' }],
  ['', { fault: 'malformed' }],
  [' STAT', { fault: 'malformed' }],
  ['GET / HTTP/1.1', { fault: 'unknown' }],
  ['STAT\0', { fault: 'malformed' }],
  ['\x16\x03\x01', { fault: 'malformed' }],
];

describe('parsePop3Command', () => {
  for (const [line, command] of cases)
    test(`parsePop3Command ${'fault' in command ? 'rejects' : 'parses'} ${JSON.stringify(line)}`, () =>
      assert.deepEqual(parsePop3Command(line), command));
});

test('parsePop3Command returns a command or a fault for any line', () => {
  const verb = fc.constantFrom('USER', 'PASS', 'AUTH PLAIN', 'TOP', 'RETR', 'LIST', 'uidl', '');
  fc.assert(
    fc.property(verb, anyText(), (word, text) => {
      const command = parsePop3Command(`${word} ${text}`);
      if ('fault' in command) return;
      // Formatting the parsed command must return the line, so that the parser neither loses nor adds text.
      const rest = Object.values(command)
        .slice(1)
        .filter((value) => value !== null);
      if (command.verb === 'PASS') assert.equal(rest[0], `${word} ${text}`.slice(5));
      for (const value of rest)
        if (typeof value === 'number') assert.ok(Number.isSafeInteger(value) && value >= 0);
    }),
  );
});
