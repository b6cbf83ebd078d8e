import { SASL_MECHANISMS } from '../../rfc/sasl/mechanisms.ts';
import type { ImapSession } from './session.ts';

/** Capabilities advertised before and after sign-in. */
const ALWAYS = ['IMAP4rev1', 'IMAP4rev2', 'LITERAL+', 'SASL-IR', 'ID', 'ENABLE', 'IDLE'];
/** Capabilities advertised after sign-in. */
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
  // RFC 4314, section 2.2: the rights that replace the obsolete rights `c` and `d`.
  'ACL',
  'RIGHTS=kxte',
  'QUOTA',
  'QUOTA=RES-STORAGE',
];

/** Capabilities advertised after sign-in for SEARCH, SORT and THREAD, and for operations on search results. */
const SEARCHING = [
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

/** The capabilities of a session (RFC 9051, section 7.2.2), without the word CAPABILITY. */
export function capabilities(session: ImapSession): string {
  const { mailbox, connection, services } = session;
  if (mailbox === null) return [...ALWAYS, ...signInCapabilities(session)].join(' ');
  return [...ALWAYS, ...SIGNED_IN, `APPENDLIMIT=${services.maxMessageOctets}`, ...SEARCHING]
    .filter((each) => each !== 'COMPRESS=DEFLATE' || !connection.isCompressed)
    .join(' ');
}

function signInCapabilities({ acceptsPasswords, options, connection }: ImapSession): string[] {
  return [
    ...(connection.tls === null && options.secureContext() !== null ? ['STARTTLS'] : []),
    ...(acceptsPasswords ? SASL_MECHANISMS.map((mechanism) => `AUTH=${mechanism}`) : ['LOGINDISABLED']),
  ];
}
