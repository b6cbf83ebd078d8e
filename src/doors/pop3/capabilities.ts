import { SASL_MECHANISMS } from '../../rfc/sasl/mechanisms.ts';

/** The response to CAPA (RFC 2449, section 5), without the first line and without the last CRLF. */
export function capabilities({ hasStls, mayLogIn }: { hasStls: boolean; mayLogIn: boolean }): string {
  return [
    'CAPA',
    'TOP',
    'UIDL',
    'RESP-CODES',
    'AUTH-RESP-CODE',
    'PIPELINING',
    'EXPIRE NEVER',
    'UTF8 USER',
    ...(mayLogIn ? ['USER', `SASL ${SASL_MECHANISMS.join(' ')}`] : []),
    ...(hasStls ? ['STLS'] : []),
    'IMPLEMENTATION Posthorn',
    '.',
  ].join('\r\n');
}
