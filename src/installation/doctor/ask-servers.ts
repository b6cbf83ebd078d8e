/** What servers answer. */
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import { ReplyParser } from '../../rfc/smtp/reply-parser.ts';
import { replyText, type SmtpReply } from '../../rfc/smtp/reply.ts';
import { dial } from '../../sending/deliver/smtp/dial.ts';
import type { DnsResolver } from '../../net/dns.ts';
import { reasonOf } from './finding.ts';

/** The rest of a body is not read. */
const MAX_BODY = 4_000;
const MAX_GREETING = 300;
const SECOND_MS = 1_000;

export interface Patience {
  /** The time for a connection, and again for each reply of a server. */
  readonly timeoutMs: number;
  /** Ends what is left of the checks. */
  readonly signal: AbortSignal;
}

export interface UrlResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Makes one GET request to one address of the host; redirects are not followed.
 * @param verifies whether the certificate has to be good
 * @returns errors for people
 */
export function askUrl(
  url: URL,
  address: string,
  { timeoutMs, signal }: Patience,
  verifies = true,
): Promise<UrlResponse | { readonly error: string }> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const options = {
    host: address,
    port: url.port === '' ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'user-agent': 'posthorn doctor' },
    servername: isIP(host) === 0 ? host : undefined,
    rejectUnauthorized: verifies,
    agent: false,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  };
  return new Promise((resolve) => {
    const fail = (error: Error): void =>
      resolve({ error: error.name === 'AbortError' ? 'no answer' : reasonOf(error) });
    const asking = url.protocol === 'https:' ? requestOverTls(options) : requestPlain(options);
    asking.once('error', fail);
    asking.once('response', (response) => {
      let body = '';
      const end = (): void => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        asking.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, MAX_BODY);
        if (body.length === MAX_BODY) end();
      });
      response.once('end', end);
      response.once('error', fail);
    });
    asking.end();
  });
}

/** The two moments between which the clock of a web server was, in milliseconds of Unix time. */
export interface TimeElsewhere {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads the `Date` of an answer (RFC 9110, section 6.6.1), which is cut to seconds. The certificate is not checked: to a
 * wrong clock good ones look bad, and whoever lies here only causes a warning.
 * @returns null where there is no answer, or none with a date
 */
export async function timeElsewhere(
  url: URL,
  from: Patience & { readonly dns: Pick<DnsResolver, 'addresses'> },
): Promise<TimeElsewhere | null> {
  const found = await from.dns.addresses(url.hostname);
  const [address] = found.outcome === 'found' ? found.records : [];
  if (address === undefined) return null;
  const answer = await askUrl(url, address, from, false);
  const fromMs = 'error' in answer ? Number.NaN : Date.parse(answer.headers.date ?? '');
  return Number.isNaN(fromMs) ? null : { fromMs, toMs: fromMs + SECOND_MS };
}

export type Greeting =
  | {
      readonly reply: SmtpReply;
      readonly text: string;
      /** The reply to EHLO; null: there is none. */
      readonly ehlo: SmtpReply | null;
    }
  | { readonly error: string };

/**
 * Reads the first reply of an SMTP server (RFC 5321, section 3.1), and where that is 220 its reply to EHLO. Then it ends the
 * connection.
 * @returns errors for people
 */
export async function readGreeting(
  address: string,
  port: number,
  heloName: string,
  { timeoutMs, signal }: Patience,
): Promise<Greeting> {
  const dialled = await dial(address, port, { timeoutMs, signal });
  if ('error' in dialled) return { error: `no connection (${dialled.error})` };
  const { socket } = dialled;
  const parser = new ReplyParser();
  const { promise, resolve } = Promise.withResolvers<Greeting>();
  let greeted: SmtpReply | null = null;
  const end = (error: string, ehlo: SmtpReply | null = null): void =>
    resolve(greeted === null ? { error } : { reply: greeted, text: replyText(greeted, MAX_GREETING), ehlo });
  const timer = setTimeout(end, timeoutMs, 'a connection, and no greeting');
  socket.on('data', (chunk) => {
    for (const reply of parser.push(chunk)) {
      if (greeted !== null) return end('', reply);
      greeted = reply;
      if (reply.code !== 220) return end('');
      socket.write(`EHLO ${heloName}\r\n`);
    }
    if (parser.fault !== null) end('something that is not SMTP');
  });
  socket.on('error', () => end('a connection that broke'));
  socket.on('close', () => end('a connection that ended without a greeting'));
  const greeting = await promise;
  clearTimeout(timer);
  socket.end('QUIT\r\n');
  socket.destroySoon();
  return greeting;
}
