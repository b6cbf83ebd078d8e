import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from './command.ts';
import { announcedLiteral } from './command-piece.ts';
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

const message = { flags: [], internalDate: null, bytes: Buffer.from('abc') };
const list = {
  name: 'LIST',
  extended: false,
  select: [],
  reference: '',
  patterns: ['*'],
  return: [],
} as const;
const fetch = {
  name: 'FETCH',
  uid: false,
  set: [[1, 1]],
  changedSince: null,
  vanished: false,
  partial: null,
} as const;
const search = { name: 'SEARCH', uid: false, return: null, charset: null } as const;
const section = { part: [], text: null } as const;

const COMMANDS: [string, Command][] = [
  ['noop', { name: 'NOOP' }],
  ['NOOP ', { name: 'NOOP' }],
  ['AUTHENTICATE plain', { name: 'AUTHENTICATE', mechanism: 'PLAIN', initialResponse: null }],
  ['AUTHENTICATE PLAIN =', { name: 'AUTHENTICATE', mechanism: 'PLAIN', initialResponse: '=' }],
  ['LOGIN a@b.example "p\\"a\\\\"', { name: 'LOGIN', user: 'a@b.example', password: 'p"a\\' }],
  ['LOGIN {3}\r\na b {2+}\r\nö', { name: 'LOGIN', user: 'a b', password: 'ö' }],
  ['LOGIN NIL ""', { name: 'LOGIN', user: 'NIL', password: '' }],
  ['ID NIL', { name: 'ID', fields: null }],
  [
    'ID ("Name" "x" "os" NIL)',
    {
      name: 'ID',
      fields: new Map([
        ['name', 'x'],
        ['os', null],
      ]),
    },
  ],
  ['ENABLE condstore UTF8=ACCEPT', { name: 'ENABLE', capabilities: ['CONDSTORE', 'UTF8=ACCEPT'] }],
  ['COMPRESS deflate', { name: 'COMPRESS', mechanism: 'DEFLATE' }],
  ['SELECT inbox', { name: 'SELECT', mailbox: 'INBOX', condstore: false, qresync: null }],
  ['SELECT  "Entw&APw-rfe"', { name: 'SELECT', mailbox: 'Entwürfe', condstore: false, qresync: null }],
  ['EXAMINE a (CONDSTORE)', { name: 'EXAMINE', mailbox: 'a', condstore: true, qresync: null }],
  [
    'SELECT a (QRESYNC (67890007 20050715194045000 41,43:211 (1,3 41,43)))',
    {
      name: 'SELECT',
      mailbox: 'a',
      condstore: false,
      qresync: {
        uidValidity: 67890007,
        modseq: 20050715194045000,
        knownUids: [
          [41, 41],
          [43, 211],
        ],
        seqMatch: {
          numbers: [
            [1, 1],
            [3, 3],
          ],
          uids: [
            [41, 41],
            [43, 43],
          ],
        },
      },
    },
  ],
  [
    'SELECT a (QRESYNC (1 2) CONDSTORE)',
    {
      name: 'SELECT',
      mailbox: 'a',
      condstore: true,
      qresync: { uidValidity: 1, modseq: 2, knownUids: null, seqMatch: null },
    },
  ],
  ['CREATE a/b/', { name: 'CREATE', mailbox: 'a/b/', use: [] }],
  ['CREATE a (USE (\\Sent \\Drafts))', { name: 'CREATE', mailbox: 'a', use: ['\\Sent', '\\Drafts'] }],
  ['RENAME a {1}\r\nb', { name: 'RENAME', from: 'a', to: 'b' }],
  ['SUBSCRIBE "a b"', { name: 'SUBSCRIBE', mailbox: 'a b' }],
  ['STATUS a (messages UNSEEN messages)', { name: 'STATUS', mailbox: 'a', items: ['MESSAGES', 'UNSEEN'] }],
  ['GETQUOTA ""', { name: 'GETQUOTA', root: '' }],
  ['SETQUOTA "" (STORAGE 512)', { name: 'SETQUOTA', root: '' }],
  ['LIST "" *', list],
  ['LIST "" ""', { ...list, patterns: [''] }],
  ['LIST a/ %]', { ...list, reference: 'a/', patterns: ['%]'] }],
  ['LIST "" "&A-*"', { ...list, patterns: [] }],
  ['LIST () "" *', { ...list, extended: true }],
  ['LIST "" (INBOX "a &- b/%" &A-)', { ...list, extended: true, patterns: ['INBOX', 'a & b/%'] }],
  [
    'LIST (SUBSCRIBED RECURSIVEMATCH)"" % RETURN (CHILDREN STATUS (MESSAGES) SPECIAL-USE)',
    {
      ...list,
      extended: true,
      select: ['SUBSCRIBED', 'RECURSIVEMATCH'],
      patterns: ['%'],
      return: ['CHILDREN', { status: ['MESSAGES'] }, 'SPECIAL-USE'],
    },
  ],
  ['LIST "" * RETURN ()', { ...list, extended: true }],
  ['LSUB "" *', { name: 'LSUB', reference: '', pattern: '*' }],
  ['APPEND a {3+}\r\nabc', { name: 'APPEND', mailbox: 'a', messages: [message] }],
  [
    'APPEND a (\\seen Work) "22-Nov-2026 10:00:00 +0130" ~{3}\r\nabc UTF8 (~{3}\r\nabc) {0}\r\n',
    {
      name: 'APPEND',
      mailbox: 'a',
      messages: [
        { ...message, flags: ['\\Seen', 'Work'], internalDate: new Date('2026-11-22T08:30:00Z') },
        message,
        { ...message, bytes: Buffer.alloc(0) },
      ],
    },
  ],
  ['UID REPLACE 7 a () {3}\r\nabc', { name: 'REPLACE', uid: true, number: 7, mailbox: 'a', message }],
  ['EXPUNGE', { name: 'EXPUNGE', uids: null }],
  ['UID EXPUNGE $', { name: 'EXPUNGE', uids: 'saved' }],
  [
    'COPY 1:4294967295,*:2 a',
    {
      name: 'COPY',
      uid: false,
      set: [
        [1, 4294967295],
        ['*', 2],
      ],
      mailbox: 'a',
    },
  ],
  ['UID MOVE 3 inBox', { name: 'MOVE', uid: true, set: [[3, 3]], mailbox: 'INBOX' }],
  [
    'FETCH 1 fast',
    { ...fetch, items: [{ item: 'FLAGS' }, { item: 'INTERNALDATE' }, { item: 'RFC822.SIZE' }] },
  ],
  ['FETCH 1 body', { ...fetch, items: [{ item: 'BODY' }] }],
  ['FETCH 1 BODY[]', { ...fetch, items: [{ item: 'BODY[]', section, peek: false, partial: null }] }],
  [
    'UID FETCH 1 (body.peek[1.2.header.fields (Date {4}\r\nTo a)]<5.10> UID) (CHANGEDSINCE 7 VANISHED)',
    {
      ...fetch,
      uid: true,
      items: [
        {
          item: 'BODY[]',
          section: { part: [1, 2], text: { fields: ['Date', 'To a'], not: false } },
          peek: true,
          partial: [5, 10],
        },
        { item: 'UID' },
      ],
      changedSince: 7,
      vanished: true,
    },
  ],
  [
    'FETCH 1 (BODY[HEADER.FIELDS.NOT (a)] BODY[2.MIME] BODY[TEXT])',
    {
      ...fetch,
      items: [
        {
          item: 'BODY[]',
          section: { part: [], text: { fields: ['a'], not: true } },
          peek: false,
          partial: null,
        },
        { item: 'BODY[]', section: { part: [2], text: 'MIME' }, peek: false, partial: null },
        { item: 'BODY[]', section: { part: [], text: 'TEXT' }, peek: false, partial: null },
      ],
    },
  ],
  [
    'FETCH 1 (BINARY.PEEK[1]<0.5> BINARY.SIZE[1.2] BINARY[])',
    {
      ...fetch,
      items: [
        { item: 'BINARY[]', part: [1], peek: true, partial: [0, 5] },
        { item: 'BINARY.SIZE[]', part: [1, 2] },
        { item: 'BINARY[]', part: [], peek: false, partial: null },
      ],
    },
  ],
  [
    'FETCH 1 PREVIEW (CHANGEDSINCE 5)',
    { ...fetch, items: [{ item: 'PREVIEW', lazy: false }], changedSince: 5 },
  ],
  ['FETCH 1 (PREVIEW (LAZY))', { ...fetch, items: [{ item: 'PREVIEW', lazy: true }] }],
  ['UID FETCH 1 UID (PARTIAL -1:-30)', { ...fetch, uid: true, items: [{ item: 'UID' }], partial: [-1, -30] }],
  [
    'STORE 1 +flags.silent (\\deleted $Junk)',
    {
      name: 'STORE',
      uid: false,
      set: [[1, 1]],
      how: 'add',
      silent: true,
      flags: ['\\Deleted', '$Junk'],
      unchangedSince: null,
    },
  ],
  [
    'UID STORE 1 (UNCHANGEDSINCE 0) FLAGS a b',
    {
      name: 'STORE',
      uid: true,
      set: [[1, 1]],
      how: 'replace',
      silent: false,
      flags: ['a', 'b'],
      unchangedSince: 0,
    },
  ],
  ['SEARCH ALL', { ...search, criteria: { key: 'ALL' } }],
  [
    'SEARCH RETURN () 2,4',
    {
      ...search,
      return: ['ALL'],
      criteria: {
        key: 'SEQ',
        set: [
          [2, 2],
          [4, 4],
        ],
      },
    },
  ],
  [
    'UID SEARCH RETURN (SAVE COUNT PARTIAL 1:100) CHARSET utf-8 SUBJECT {2}\r\nö UID $',
    {
      ...search,
      uid: true,
      return: ['SAVE', 'COUNT', { partial: [1, 100] }],
      charset: 'utf-8',
      criteria: {
        key: 'AND',
        all: [
          { key: 'SUBJECT', value: 'ö' },
          { key: 'UID', set: 'saved' },
        ],
      },
    },
  ],
  ['SEARCH CHARSET klingon TEXT a', { ...search, charset: 'klingon', criteria: { key: 'TEXT', value: 'a' } }],
  [
    'SEARCH OR NOT SEEN (FROM a HEADER X-Y "") SENTSINCE "1-feb-2024"',
    {
      ...search,
      criteria: {
        key: 'AND',
        all: [
          {
            key: 'OR',
            either: { key: 'NOT', of: { key: 'SEEN' } },
            or: {
              key: 'AND',
              all: [
                { key: 'FROM', value: 'a' },
                { key: 'HEADER', field: 'X-Y', value: '' },
              ],
            },
          },
          { key: 'SENTSINCE', day: [2024, 2, 1] },
        ],
      },
    },
  ],
  [
    'SEARCH MODSEQ "/flags/\\\\draft" all 620162338',
    { ...search, criteria: { key: 'MODSEQ', modseq: 620162338 } },
  ],
  ['SEARCH YOUNGER 60', { ...search, criteria: { key: 'YOUNGER', seconds: 60 } }],
  ['SEARCH EMAILID M_1-a', { ...search, criteria: { key: 'EMAILID', id: 'M_1-a' } }],
  [
    'SORT RETURN (MIN) (REVERSE DATE SUBJECT) UTF-8 KEYWORD a LARGER 5',
    {
      name: 'SORT',
      uid: false,
      return: ['MIN'],
      keys: [
        { by: 'DATE', reverse: true },
        { by: 'SUBJECT', reverse: false },
      ],
      charset: 'UTF-8',
      criteria: {
        key: 'AND',
        all: [
          { key: 'KEYWORD', keyword: 'a' },
          { key: 'LARGER', octets: 5 },
        ],
      },
    },
  ],
  [
    'UID THREAD references US-ASCII 1:*',
    {
      name: 'THREAD',
      uid: true,
      algorithm: 'REFERENCES',
      charset: 'US-ASCII',
      criteria: { key: 'SEQ', set: [[1, '*']] },
    },
  ],
];

for (const [text, command] of COMMANDS)
  test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(read(`a1 ${text}`), command));

test('a name in UTF-8 is one where the session has enabled it, and & is nothing special then', () => {
  assert.deepEqual(read('a DELETE "Entwürfe & x"', true), { name: 'DELETE', mailbox: 'Entwürfe & x' });
});

test('a text of a charset other than UTF-8 is read in it', () => {
  const command = read(Buffer.from('a SEARCH CHARSET iso-8859-1 TO {1}\r\n\xf6', 'latin1'));
  assert.deepEqual(command, { ...search, charset: 'iso-8859-1', criteria: { key: 'TO', value: 'ö' } });
});

const FAULTS: [string, RegExp][] = [
  ['', /needs a name behind the tag/],
  ['FROB', /There is no command FROB/],
  ['UID NOOP', /There is no command UID NOOP/],
  ['NOOP now', /NOOP has something behind/],
  ['LOGIN a', /LOGIN needs a password/],
  ['LOGIN a "b', /LOGIN needs a password/],
  ['LOGIN a "b\\c"', /LOGIN needs a password/],
  ['LOGIN a {3}\r\nb\0c', /NUL/],
  ['LOGIN ö b', /needs an address/],
  ['SELECT a (FROB)', /does not know the parameter FROB/],
  ['SELECT a (QRESYNC (1 2 1:*))', /without \* and \$/],
  ['SELECT a (QRESYNC (0 2))', /UIDVALIDITY/],
  ['STATUS a ()', /STATUS needs status items/],
  ['STATUS a (SIZES)', /STATUS does not know SIZES/],
  ['LIST (RECURSIVEMATCH) "" *', /RECURSIVEMATCH needs/],
  ['LIST (FROB) "" *', /does not know the option FROB/],
  ['LIST "" * RETURN (MYRIGHTS)', /cannot return MYRIGHTS/],
  ['APPEND a', /APPEND needs a message as a literal/],
  ['APPEND a "abc"', /APPEND needs a date/],
  ['APPEND a "31-Feb-2026 10:00:00 +0000" {1}\r\na', /APPEND needs a date/],
  ['APPEND a (\\Recent) {1}\r\na', /No message can have the flag/],
  ['FETCH', /FETCH needs a sequence set, such as 1:5/],
  ['FETCH 0 FLAGS', /sequence set/],
  ['FETCH 1,,2 FLAGS', /sequence set/],
  ['FETCH 4294967296 FLAGS', /sequence set/],
  ['FETCH 1', /FETCH needs what to fetch/],
  ['FETCH 1 ()', /FETCH needs what to fetch/],
  ['FETCH 1 (ALL)', /FETCH does not know ALL/],
  ['FETCH 1 ALL FLAGS', /FETCH needs modifiers/],
  ['FETCH 1 BODY[MIME]', /does not know the section MIME/],
  ['FETCH 1 BODY[0]', /part 0/],
  ['FETCH 1 BODY[1', /needs a \./],
  ['FETCH 1 BODY[]<0.0>', /range of octets/],
  ['FETCH 1 BODY[HEADER.FIELDS ()]', /names of header fields/],
  ['FETCH 1 (FLAGS', /list that is not closed/],
  ['FETCH 1 FLAGS (VANISHED)', /does not know the modifier VANISHED/],
  ['UID FETCH 1 FLAGS (VANISHED)', /VANISHED needs CHANGEDSINCE/],
  ['FETCH 1 FLAGS (CHANGEDSINCE 9223372036854775808)', /number above/],
  ['STORE 1 FLAGS', /STORE needs flags/],
  ['STORE 1 FLAGSX a', /what to do/],
  ['SEARCH', /SEARCH needs what to search for/],
  ['SEARCH NIL', /does not know the key NIL/],
  ['SEARCH OR SEEN', /two keys behind OR/],
  ['SEARCH NOT', /a key behind NOT/],
  ['SEARCH ()', /needs what to search for/],
  ['SEARCH BEFORE 31-feb-2020', /a day, such as/],
  ['SEARCH YOUNGER 0', /a number of seconds/],
  ['SEARCH SUBJECT {1}\r\nb c', /does not know the key C/],
  ['SEARCH RETURN (FROB) ALL', /cannot return FROB/],
  ['SEARCH RETURN (ALL PARTIAL 1:2) ALL', /PARTIAL beside ALL/],
  ['SEARCH RETURN (PARTIAL 1:-2) ALL', /range of results/],
  ['SORT () UTF-8 ALL', /what to sort by/],
  ['SORT (REVERSE) UTF-8 ALL', /behind REVERSE/],
  ['ID ("name")', /a value behind each name/],
  [`SEARCH ${'NOT '.repeat(101)}SEEN`, /100 keys within each other/],
  [`SEARCH ${'('.repeat(100_000)}`, /100 keys within each other/],
  [`SEARCH ${'SEEN '.repeat(2_001)}`, /more than 2000 keys/],
  [`FETCH ${'1,'.repeat(40_000)}1 FLAGS`, /more than 32768 ranges/],
  [`STORE 1 FLAGS ${'a '.repeat(201)}`, /more than 200 flags/],
];

for (const [text, fault] of FAULTS)
  test(`${JSON.stringify(text.slice(0, 60))} is refused, and it says why`, () => {
    const parsed = parse(`a1 ${text}`);
    assert.ok('fault' in parsed, JSON.stringify(parsed));
    assert.deepEqual([parsed.tag, parsed.response], ['a1', 'BAD']);
    assert.match(parsed.fault, fault);
  });

for (const name of ['a&b', '"ö"', '&AGE-'])
  test(`${name} is no name in modified UTF-7, which is answered with NO as Dovecot does`, () => {
    assert.deepEqual(parse(`a SELECT ${name}`), {
      tag: 'a',
      fault: 'SELECT has the name of a mailbox that is not modified UTF-7 (RFC 3501, section 5.1.3)',
      response: 'NO',
    });
  });

for (const line of ['', '+a NOOP', ' NOOP', '* NOOP', 'a'.repeat(300), '(a NOOP'])
  test(`${JSON.stringify(line.slice(0, 20))} has no tag to answer to`, () =>
    assert.equal(parse(line).tag, null));

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
