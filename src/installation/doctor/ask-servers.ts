/** Requests to HTTP and SMTP servers, for the checks. */
import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import { ReplyParser } from '../../rfc/smtp/reply-parser.ts';
import { replyText, type SmtpReply } from '../../rfc/smtp/reply.ts';
import { dial } from '../../sending/deliver/smtp/dial.ts';
import type { DnsResolver } from '../../net/dns.ts';
import { reasonOf } from './finding.ts';

/** Maximum number of characters read from a body. The rest of a longer body is not read. */
const MAX_BODY = 4_000;
const MAX_GREETING = 300;
const SECOND_MS = 1_000;

export interface Patience {
  /** Time limit for the connection, and for each reply from a server. */
  readonly timeoutMs: number;
  /** Aborts requests that are still running. */
  readonly signal: AbortSignal;
}

export interface UrlResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends one GET request to one address of the host. Redirects are not followed.
 * @param verifies whether the certificate must be valid
 * @returns the response, or an error in plain words
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
    const request = url.protocol === 'https:' ? requestOverTls(options) : requestPlain(options);
    request.once('error', fail);
    request.once('response', (response) => {
      let body = '';
      const end = (): void => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        request.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, MAX_BODY);
        if (body.length === MAX_BODY) end();
      });
      response.once('end', end);
      response.once('error', fail);
    });
    request.end();
  });
}

/** The earliest and the latest possible time of a web server's clock, in milliseconds of Unix time. */
export interface TimeElsewhere {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Reads the `Date` of a response (RFC 9110, section 6.6.1), which has only whole seconds. The certificate is not checked, because with a
 * wrong clock valid certificates look invalid, and a forged response would only cause a wrong finding.
 * @returns null if there is no response, or if the response has no date
 */
export async function timeElsewhere(
  url: URL,
  from: Patience & { readonly dns: Pick<DnsResolver, 'addresses'> },
): Promise<TimeElsewhere | null> {
  const found = await from.dns.addresses(url.hostname);
  const [address] = found.outcome === 'found' ? found.records : [];
  if (address === undefined) return null;
  const urlResponse = await askUrl(url, address, from, false);
  const fromMs = 'error' in urlResponse ? Number.NaN : Date.parse(urlResponse.headers.date ?? '');
  return Number.isNaN(fromMs) ? null : { fromMs, toMs: fromMs + SECOND_MS };
}

export type Greeting =
  | {
      readonly reply: SmtpReply;
      readonly text: string;
      /** The reply to EHLO; null if there is no reply. */
      readonly ehlo: SmtpReply | null;
    }
  | { readonly error: string };

/**
 * Reads the greeting of an SMTP server (RFC 5321, section 3.1) and, if the greeting is 220, the reply to EHLO. Then closes the connection.
 * @returns the replies, or an error in plain words
 */
export async function readGreeting(
  address: string,
  port: number,
  heloName: string,
  { timeoutMs, signal }: Patience,
): Promise<Greeting> {
  const connection = await dial(address, port, { timeoutMs, signal });
  if ('error' in connection) return { error: `no connection (${connection.error})` };
  const { socket } = connection;
  const parser = new ReplyParser();
  const { promise, resolve } = Promise.withResolvers<Greeting>();
  let greeted: SmtpReply | null = null;
  const end = (error: string, ehlo: SmtpReply | null = null): void =>
    resolve(greeted === null ? { error } : { reply: greeted, text: replyText(greeted, MAX_GREETING), ehlo });
  const timer = setTimeout(end, timeoutMs, 'connected, but no greeting');
  socket.on('data', (chunk) => {
    for (const reply of parser.push(chunk)) {
      if (greeted !== null) return end('', reply);
      greeted = reply;
      if (reply.code !== 220) return end('');
      socket.write(`EHLO ${heloName}\r\n`);
    }
    if (parser.fault !== null) end('the server does not speak SMTP');
  });
  socket.on('error', () => end('the connection broke'));
  socket.on('close', () => end('the connection was closed without a greeting'));
  const greeting = await promise;
  clearTimeout(timer);
  socket.end('QUIT\r\n');
  socket.destroySoon();
  return greeting;
}
