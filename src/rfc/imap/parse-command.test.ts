import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './command.ts';
import { announcedLiteral } from './command-piece.ts';
import { COMMANDS } from './commands.fixture.ts';
import { parseCommand } from './parse-command.ts';
import { piecesOf } from './pieces.fixture.ts';

function parse(command: string | Buffer, utf8 = false) {
  return parseCommand(piecesOf(command), { utf8 });
}

function read(command: string | Buffer, utf8 = false): Command {
  const parsed = parse(command, utf8);
  assert.ok('command' in parsed, JSON.stringify(parsed));
  return parsed.command;
}

for (const [text, command] of COMMANDS)
  test(`${JSON.stringify(text)} is parsed`, () => assert.deepEqual(read(`a1 ${text}`), command));

test('a session that enabled UTF-8 accepts UTF-8 names, in which & is literal', () => {
  assert.deepEqual(read('a DELETE "Entwürfe & x"', true), { name: 'DELETE', mailbox: 'Entwürfe & x' });
});

test('a search text is decoded in its charset', () => {
  const command = read(Buffer.from('a SEARCH CHARSET iso-8859-1 TO {1}\r\n\xf6', 'latin1'));
  assert.deepEqual(command, {
    name: 'SEARCH',
    uid: false,
    return: null,
    charset: 'iso-8859-1',
    criteria: { key: 'TO', value: 'ö' },
  });
});

const FAULTS: [string, RegExp][] = [
  ['', /needs a name after the tag/],
  ['FROB', /There is no command FROB/],
  ['UID NOOP', /There is no command UID NOOP/],
  ['NOOP now', /NOOP has unexpected text/],
  ['LOGIN a', /LOGIN needs a password/],
  ['LOGIN a "b', /LOGIN needs a password/],
  ['LOGIN a "b\\c"', /LOGIN needs a password/],
  ['LOGIN a {3}\r\nb\0c', /NUL/],
  ['LOGIN ö b', /needs an address/],
  ['SELECT a (FROB)', /does not support the parameter FROB/],
  ['SELECT a (QRESYNC (1 2 1:*))', /without \* and \$/],
  ['SELECT a (QRESYNC (1 2 1:9 (1:9,9 1:10)))', /sequence numbers in ascending order/],
  ['SELECT a (QRESYNC (1 2 1:9 (1:9 9:1)))', /UIDs of the sequence numbers in ascending order/],
  ['SELECT a (QRESYNC (0 2))', /UIDVALIDITY/],
  ['STATUS a ()', /STATUS needs status items/],
  ['STATUS a (SIZES)', /STATUS does not know SIZES/],
  ['LIST (RECURSIVEMATCH) "" *', /RECURSIVEMATCH needs/],
  ['LIST (FROB) "" *', /does not support the option FROB/],
  ['LIST "" * RETURN (MYRIGHTS)', /cannot return MYRIGHTS/],
  ['APPEND a', /APPEND needs a message as a literal/],
  ['APPEND a "abc"', /APPEND needs a date/],
  ['APPEND a "31-Feb-2026 10:00:00 +0000" {1}\r\na', /APPEND needs a date/],
  ['APPEND a (\\Recent) {1}\r\na', /Messages cannot have the flag/],
  ['FETCH', /FETCH needs a sequence set, such as 1:5/],
  ['FETCH 0 FLAGS', /sequence set/],
  ['FETCH 1,,2 FLAGS', /sequence set/],
  ['FETCH 4294967296 FLAGS', /sequence set/],
  ['FETCH 1', /FETCH needs items to fetch/],
  ['FETCH 1 ()', /FETCH needs items to fetch/],
  ['FETCH 1 (ALL)', /FETCH does not know ALL/],
  ['FETCH 1 ALL FLAGS', /FETCH needs modifiers/],
  ['FETCH 1 BODY[MIME]', /does not support the section MIME/],
  ['FETCH 1 BODY[0]', /part 0/],
  ['FETCH 1 BODY[1', /needs a \./],
  ['FETCH 1 BODY[]<0.0>', /range of octets/],
  ['FETCH 1 BODY[HEADER.FIELDS ()]', /names of header fields/],
  ['FETCH 1 (FLAGS', /list that is not closed/],
  ['FETCH 1 FLAGS (VANISHED)', /does not support the modifier VANISHED/],
  ['UID FETCH 1 FLAGS (VANISHED)', /VANISHED also needs CHANGEDSINCE/],
  ['FETCH 1 FLAGS (CHANGEDSINCE 9223372036854775808)', /number above/],
  ['STORE 1 FLAGS', /STORE needs flags/],
  ['STORE 1 FLAGSX a', /an action/],
  ['SEARCH', /SEARCH needs a search key/],
  ['SEARCH NIL', /does not support the key NIL/],
  ['SEARCH OR SEEN', /two keys after OR/],
  ['SEARCH NOT', /a key after NOT/],
  ['SEARCH ()', /needs a search key/],
  ['SEARCH BEFORE 31-feb-2020', /a day, such as/],
  ['SEARCH YOUNGER 0', /a number of seconds/],
  ['SEARCH SUBJECT {1}\r\nb c', /does not support the key C/],
  ['SEARCH RETURN (FROB) ALL', /cannot return FROB/],
  ['SEARCH RETURN (ALL PARTIAL 1:2) ALL', /both PARTIAL and ALL/],
  ['SEARCH RETURN (PARTIAL 1:-2) ALL', /range of results/],
  ['SORT () UTF-8 ALL', /sort keys/],
  ['SORT (REVERSE) UTF-8 ALL', /after REVERSE/],
  ['ID ("name")', /a value after each name/],
  [`SEARCH ${'NOT '.repeat(101)}SEEN`, /100 nested keys/],
  [`SEARCH ${'('.repeat(100_000)}`, /100 nested keys/],
  [`SEARCH ${'SEEN '.repeat(2_001)}`, /more than 2000 keys/],
  [`FETCH ${'1,'.repeat(40_000)}1 FLAGS`, /more than 32768 ranges/],
  [`STORE 1 FLAGS ${'a '.repeat(201)}`, /more than 200 flags/],
];

for (const [text, fault] of FAULTS)
  test(`${JSON.stringify(text.slice(0, 60))} is rejected with a reason`, () => {
    const parsed = parse(`a1 ${text}`);
    assert.ok('fault' in parsed, JSON.stringify(parsed));
    assert.deepEqual([parsed.tag, parsed.response], ['a1', 'BAD']);
    assert.match(parsed.fault, fault);
  });

for (const name of ['a&b', '"ö"', '&AGE-'])
  test(`the response to the invalid modified UTF-7 ${name} is NO, as in Dovecot`, () => {
    assert.deepEqual(parse(`a SELECT ${name}`), {
      tag: 'a',
      fault: 'SELECT has a mailbox name that is not modified UTF-7 (RFC 3501, section 5.1.3)',
      response: 'NO',
    });
  });

for (const line of ['', '+a NOOP', ' NOOP', '* NOOP', 'a'.repeat(300), '(a NOOP'])
  test(`${JSON.stringify(line.slice(0, 20))} has no valid tag`, () => assert.equal(parse(line).tag, null));

for (const [line, announced] of [
  ['a LOGIN {5}', { at: 8, octets: 5, waits: true, isBinary: false }],
  ['a {10+}', { at: 2, octets: 10, waits: false, isBinary: false }],
  ['a ~{0}', { at: 2, octets: 0, waits: true, isBinary: true }],
  ['a ~{7+}', { at: 2, octets: 7, waits: false, isBinary: true }],
  ['a {18446744073709551616}', { at: 2, octets: 18446744073709551616, waits: true, isBinary: false }],
  ['a {}', null],
  ['a {-1}', null],
  ['a {1} ', null],
  ['', null],
] as const)
  test(`${JSON.stringify(line)} announces ${announced?.octets ?? 'no'} octets`, () =>
    assert.deepEqual(announcedLiteral(Buffer.from(line)), announced));
