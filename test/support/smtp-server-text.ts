import type { SmtpServerOptions } from './smtp-server-options.ts';

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
/** The maximum length of a text line in octets, including CRLF (RFC 5321, section 4.5.3.1.6). */
const MAX_TEXT_LINE = 1_000;

const PATH = /^(?:FROM|TO):<((?:"(?:\\.|[^"\\])*"|[^">])*)>(.*)$/i;

/** Commands that must be the last of a group: no command may follow before their reply (RFC 2920, section 3.1). */
const LAST_OF_GROUP = new Set(['EHLO', 'HELO', 'DATA', 'QUIT', 'STARTTLS', 'AUTH']);

/** The violation by a client that sends more data before the reply to this command; null if the client may do so. */
export function groupFault(verb: string, offers: ReadonlySet<string>): string | null {
  if (!offers.has('PIPELINING')) return `${verb}: did not wait for its reply`;
  return LAST_OF_GROUP.has(verb) ? `${verb}: not the last of its group` : null;
}

/** Parses the path and parameters of MAIL or RCPT. `path` is null if the path is invalid. */
export function readPath(text: string): { path: string | null; parameters: string[] } {
  const match = PATH.exec(text);
  const parameters = (match?.[2] ?? '').split(' ').filter((parameter) => parameter !== '');
  return { path: match?.[1] ?? null, parameters };
}

export function ehloReply(options: SmtpServerOptions, isTls: boolean): string {
  const {
    size = 0,
    pipelining = true,
    smtpUtf8 = true,
    eightBitMime = true,
    dsn = false,
    tls,
    auth,
  } = options;
  const lines = ['test.example'];
  if (pipelining) lines.push('PIPELINING');
  if (size !== null) lines.push(`SIZE ${size}`);
  if (eightBitMime) lines.push('8BITMIME');
  if (smtpUtf8) lines.push('SMTPUTF8');
  if (dsn) lines.push('DSN');
  if (tls !== undefined && !isTls) lines.push('STARTTLS');
  if (auth !== undefined) lines.push(`AUTH ${(auth.mechanisms ?? ['PLAIN', 'LOGIN']).join(' ')}`);
  return [...lines.map((line) => `250-${line}`), '250 ENHANCEDSTATUSCODES'].join('\r\n');
}

/** Violations in a client's message data (RFC 5321, sections 2.3.8, 4.1.1.4 and 4.5.3.1.6). */
export function faultsOf(data: Buffer, is8Bit: boolean): Set<string> {
  const faults = new Set<string>();
  let lineStart = 0;
  for (let at = 0; at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    if (byte === CR && data[at + 1] !== LF) faults.add('a bare CR in the data');
    if (byte > 127 && !is8Bit) faults.add('undeclared octets over 127 in the data');
    if (byte !== LF) continue;
    if (data[at - 1] !== CR) faults.add('a bare LF in the data');
    if (at + 1 - lineStart > MAX_TEXT_LINE) faults.add(`a line of the data is longer than ${MAX_TEXT_LINE}`);
    lineStart = at + 1;
  }
  return faults;
}

/** A copy of the data without dot-stuffing (RFC 5321, section 4.5.2). */
export function unstuff(data: Buffer): Buffer {
  if (data[0] !== DOT && !data.includes('\r\n.')) return Buffer.from(data);
  return Buffer.from(data.toString('latin1').replace(/(^|\r\n)\./g, '$1'), 'latin1');
}
