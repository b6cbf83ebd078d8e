import { SASL_MECHANISMS } from '../../rfc/sasl/mechanisms.ts';
import { COMMAND_LIMITS } from './command-reader.ts';
import type { ImapSession } from './session.ts';

/** Before somebody has signed in, too. */
const ALWAYS = ['IMAP4rev1', 'IMAP4rev2', 'LITERAL+', 'SASL-IR', 'ID', 'ENABLE', 'IDLE'];
/** What the other commands can do: each line belongs to a file of `commands/`. */
const SIGNED_IN = [
  'COMPRESS=DEFLATE',
  'CONDSTORE',
  'QRESYNC',
  'UTF8=ACCEPT',
  'UNSELECT',
  'BINARY',
  'MULTIAPPEND',
  'OBJECTID',
  'REPLACE',
  'PREVIEW',
  'SAVEDATE',
  'NAMESPACE',
  'CHILDREN',
  'LIST-EXTENDED',
  'LIST-STATUS',
  'SPECIAL-USE',
  'CREATE-SPECIAL-USE',
  'STATUS=SIZE',
  'QUOTA',
  'QUOTA=RES-STORAGE',
  `APPENDLIMIT=${COMMAND_LIMITS.message}`,
];

/** Searching, and what is done with what was found. */
const FINDING = [
  'ESEARCH',
  'SEARCHRES',
  'WITHIN',
  'PARTIAL',
  'UIDPLUS',
  'MOVE',
  'SORT',
  'SORT=DISPLAY',
  'ESORT',
  'THREAD=REFERENCES',
  'THREAD=ORDEREDSUBJECT',
];

/** What a session can do (RFC 9051, section 7.2.2), without the word CAPABILITY. */
export function capabilities(session: ImapSession): string {
  const { mailbox, connection } = session;
  if (mailbox === null) return [...ALWAYS, ...waysToSignIn(session)].join(' ');
  return [...ALWAYS, ...SIGNED_IN, ...FINDING]
    .filter((each) => each !== 'COMPRESS=DEFLATE' || !connection.isCompressed)
    .join(' ');
}

function waysToSignIn({ mayPassword, secureContext, connection }: ImapSession): string[] {
  return [
    ...(connection.tls === null && secureContext() !== null ? ['STARTTLS'] : []),
    ...(mayPassword ? SASL_MECHANISMS.map((mechanism) => `AUTH=${mechanism}`) : ['LOGINDISABLED']),
  ];
}
