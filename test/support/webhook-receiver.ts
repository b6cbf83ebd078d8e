/** A receiver of webhooks on a real socket, which stores requests and responds as configured. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createHmac } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { checkDelivery } from './webhook-contract.ts';

export interface ReceivedPost {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The unchanged body. */
  body: string;
  atMs: number;
  /** The number of the connection among all connections to this receiver, from 1. */
  connection: number;
}

interface ReceiverAnswer {
  /** The status of the response. Default: 200. */
  status?: number;
  headers?: Record<string, string>;
  /** The body of the response. Default: empty. */
  body?: string | Uint8Array;
  /** The delay before the response. */
  delayMs?: number;
  /** The end of the response. `endless` sends zeros until the client disconnects, `stall` sends no end, `break` resets the connection. */
  ending?: 'endless' | 'stall' | 'break';
}

/** The reaction to a request. `silence` never responds, `reset` resets the connection without a response. */
export type ReceiverBehavior = ReceiverAnswer | 'silence' | 'reset';

export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/hook` (https with `tls`). */
  readonly url: string;
  readonly port: number;
  /** Received requests, in order of arrival. */
  readonly received: ReceivedPost[];
  /** The number of connections so far. */
  readonly connections: number;
  /** Sets the reaction to further requests. */
  answerWith(behavior: ReceiverBehavior | ((post: ReceivedPost) => ReceiverBehavior)): void;
  /**
   * Resolves with the first `count` requests as soon as these requests have arrived. Rejects after `timeoutMs` (default: 5,000), and if the
   * body of a signed request does not match the OpenAPI document.
   */
  waitFor(count: number, timeoutMs?: number): Promise<ReceivedPost[]>;
}

export interface ReceiverOptions {
  /** The reaction to requests. Default: status 200 without a body. */
  answer?: ReceiverBehavior | ((post: ReceivedPost) => ReceiverBehavior);
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** PEM texts of a certificate and its key, for https. Default: http. */
  tls?: { cert: string; key: string };
}

/** @param options the initial reaction of the receiver, and its address */
export async function startWebhookReceiver(options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const { host = '127.0.0.1', tls } = options;
  let answer = options.answer ?? {};
  let connections = 0;
  const numbers = new WeakMap<Socket, number>();
  const received: ReceivedPost[] = [];
  const waiting = new Set<() => void>();

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const post: ReceivedPost = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      atMs: Date.now(),
      connection: numbers.get(request.socket) ?? 0,
    };
    received.push(post);
    for (const check of waiting) check();
    await play(typeof answer === 'function' ? answer(post) : answer, response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // Some tests abort requests.
    onRequest(request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    numbers.set(socket, ++connections);
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    port,
    received,
    get connections() {
      return connections;
    },
    answerWith(next) {
      answer = next;
    },
    waitFor(count, timeoutMs = 5_000) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (received.length < count) return;
          stop();
          const posts = received.slice(0, count);
          try {
            for (const { headers, body } of posts)
              if (headers['x-mail-signature'] !== undefined) checkDelivery(body);
            resolve(posts);
          } catch (error) {
            reject(error);
          }
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${received.length} of ${count} webhooks arrived within ${timeoutMs} ms`));
        }, timeoutMs);
        const stop = () => {
          clearTimeout(timer);
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function play(behavior: ReceiverBehavior, response: ServerResponse): Promise<void> {
  if (behavior === 'silence') return;
  if (behavior === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status = 200, headers = {}, body = '', delayMs = 0, ending } = behavior;
  if (delayMs > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, delayMs);
    });
  }
  response.writeHead(status, headers);
  if (ending === undefined) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  response.write(body);
  if (ending === 'break') response.socket?.resetAndDestroy();
  if (ending === 'endless') sendZeros(response);
}

function sendZeros(response: ServerResponse): void {
  const zeros = Buffer.alloc(16 * 1024, '0');
  const fill = () => {
    while (!response.destroyed && response.write(zeros));
  };
  response.on('drain', fill);
  fill();
}

const SIGNATURE = /^t=(\d+),v1=([0-9a-f]{64})$/;
const TOLERANCE_SECONDS = 300;

/**
 * Verifies a signature like a receiver (docs/contract.md, Signatures).
 * @param header `x-mail-signature-next` while a secret is rotated
 * @returns whether the request was signed with this secret, at most 5 minutes ago
 */
export function isSigned(post: ReceivedPost, secret: string, header = 'x-mail-signature'): boolean {
  const match = SIGNATURE.exec(String(post.headers[header]));
  if (match === null) return false;
  const [, time = '', signature] = match;
  const expected = createHmac('sha256', secret).update(`${time}.${post.body}`).digest('hex');
  const isFresh = Math.abs(post.atMs / 1_000 - Number(time)) <= TOLERANCE_SECONDS;
  return isFresh && signature === expected;
}

/** Verifies a request with the library of Standard Webhooks. @returns whether one of its signatures is by this secret */
export function isStandardSigned({ body, headers }: ReceivedPost, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return headers['webhook-id'] === (JSON.parse(body) as { id: string }).id;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
