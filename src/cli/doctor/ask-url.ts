import { type IncomingHttpHeaders, request as requestPlain } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

/** Of a body the rest is not read. */
const MAX_BODY = 4_000;

export interface UrlAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * One GET, to one address of the host; redirects are not followed.
 * @param verifies whether the certificate has to be good
 * @returns errors for people
 */
export function askUrl(
  url: URL,
  address: string,
  { timeoutMs, signal }: Pick<World, 'timeoutMs' | 'signal'>,
  verifies = true,
): Promise<UrlAnswer | { readonly error: string }> {
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
