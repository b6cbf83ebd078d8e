import type { Session } from './session.ts';

/** Whoever asks hears what holds now: before signing in, how to sign in; after it, what else there is. */
const ALWAYS = ['IMAP4rev1', 'IMAP4rev2', 'LITERAL+', 'SASL-IR', 'ID', 'ENABLE'];

/** What a session can do (RFC 9051, section 7.2.2), without the word CAPABILITY. */
export function capabilities(session: Session): string {
  if (session.mailbox === null) return [...ALWAYS, ...waysToSignIn(session)].join(' ');
  return [...ALWAYS, 'CONDSTORE', 'QRESYNC', 'UTF8=ACCEPT', 'UNSELECT', 'IDLE'].join(' ');
}

function waysToSignIn({ mayPassword, secureContext, connection }: Session): string[] {
  return [
    ...(secureContext !== null && connection.tls === null ? ['STARTTLS'] : []),
    ...(mayPassword ? [] : ['LOGINDISABLED']),
  ];
}
