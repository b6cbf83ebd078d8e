/** The trace fields that are put in front of an accepted message (RFC 5321, section 4.4; RFC 8601, section 5). */
import { formatDate } from '../../rfc/message/format-date.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { MailFromOutside } from './mail-from-outside.ts';

export interface Trace {
  mail: Omit<MailFromOutside, 'raw'>;
  hostname: string;
  /** Identifies the message in the log. */
  id: string;
  /** The recipient. Null for several recipients, because naming them would reveal Bcc. */
  onlyRecipient: string | null;
  authentication: Pick<Authentication, 'header' | 'iprev'>;
  /** The value of X-Spam-Status. */
  spamStatus: string;
  receivedAt: Date;
}

/** The maximum number of characters per line. Longer fields are folded (RFC 5322, section 2.1.1). */
const MAX_LINE = 78;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const CRLF = '\r\n';

/** @returns the fields, which must be the very beginning of the message */
export function traceFields(trace: Trace): string {
  const { mail, onlyRecipient, authentication, spamStatus } = trace;
  const fields = [
    `Return-Path: <${mail.reversePath}>`,
    ...(onlyRecipient === null ? [] : [`Delivered-To: ${onlyRecipient}`]),
    receivedField(trace),
  ];
  const spam = folded('X-Spam-Status:', spamStatus.split(' ')) + CRLF;
  return fields.map((field) => field + CRLF).join('') + resultsField(authentication.header) + spam;
}

/** The Authentication-Results field, with its CRLF. @param results see `Authentication.header` */
export function resultsField(results: string): string {
  return folded('Authentication-Results:', results.split(/(?<=;) +/)) + CRLF;
}

/**
 * Puts the trace fields in front of a message. If the message does not begin with a header field, an empty line separates them. Attack: a
 * message that begins with a space would otherwise continue the last of our fields, and could forge its contents.
 */
export function withTrace(fields: string, message: Buffer): Buffer {
  const first = message[0];
  const hasHeader = first !== undefined && first !== SPACE && first !== TAB && first !== CR;
  const isEmptyLine = first === CR;
  return Buffer.concat([Buffer.from(hasHeader || isEmptyLine ? fields : fields + CRLF), message]);
}

function receivedField({ mail, hostname, id, onlyRecipient, authentication, receivedAt }: Trace): string {
  const { address, helo, tls } = mail;
  const literal = address.includes(':') ? `IPv6:${address}` : address;
  const { iprev } = authentication;
  const name = iprev.result === 'pass' && iprev.name !== null ? `${printed(iprev.name)} ` : '';
  return [
    `Received: from ${printed(helo)}${address === '' ? '' : ` (${name}[${literal}])`}`,
    ...(tls === null ? [] : [`(using ${tls.protocol} with cipher ${tls.cipher})`]),
    `by ${hostname} (Posthorn) with ${protocolOf(mail)} id ${id}`,
    ...(onlyRecipient === null ? [] : [`for <${onlyRecipient}>`]),
  ]
    .join(`${CRLF}\t`)
    .concat(`;${CRLF}\t${formatDate(receivedAt)}`);
}

/** The protocol for the Received field (RFC 3848; RFC 6531, section 4.3). */
function protocolOf({ isExtended, isUtf8, tls }: Trace['mail']): string {
  if (!isExtended) return 'SMTP';
  return `${isUtf8 ? 'UTF8SMTP' : 'ESMTP'}${tls === null ? '' : 'S'}`;
}

/** Replaces special characters in a client's name. Attack: the name ends the field, opens a comment, or looks like another address. */
function printed(name: string): string {
  return name.slice(0, 255).replace(/[^\p{L}\p{N}.:_[\]-]/gu, '?');
}

function folded(name: string, parts: readonly string[]): string {
  const lines = [name];
  for (const part of parts) {
    const line = `${lines.at(-1)} ${part}`;
    if (line.length <= MAX_LINE) lines[lines.length - 1] = line;
    else lines.push(`\t${part}`);
  }
  return lines.join(CRLF);
}
