/** Commands of real clients, without tags, with the expected results of parsing. */
import type { Command } from './command.ts';

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

export const COMMANDS: [string, Command][] = [
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
  ['GETACL INBOX', { name: 'GETACL', mailbox: 'INBOX' }],
  ['MYRIGHTS "a b"', { name: 'MYRIGHTS', mailbox: 'a b' }],
  ['LISTRIGHTS a ann@b.test', { name: 'LISTRIGHTS', mailbox: 'a', identifier: 'ann@b.test' }],
  ['DELETEACL a {1}\r\nb', { name: 'DELETEACL', mailbox: 'a', identifier: 'b' }],
  ['SETACL a b +lr', { name: 'SETACL', mailbox: 'a', identifier: 'b', rights: '+lr' }],
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
