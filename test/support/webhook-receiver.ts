/** A receiver of webhooks on a real socket: it keeps what it gets and answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createHmac } from 'node:crypto';
import { checkDelivery } from './webhook-contract.ts';

export interface ReceivedPost {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  body: string;
  atMs: number;
  /** Counts the connections of this receiver, from 1. */
  connection: number;
}

interface ReceiverAnswer {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Default empty. */
  body?: string | Uint8Array;
  /** How long it waits before the answer begins. */
  delayMs?: number;
  /** What comes after the body: `endless` sends zeros for as long as somebody reads, `stall` leaves it unfinished, `break` resets. */
  ending?: 'endless' | 'stall' | 'break';
}

/** `silence` never answers, `reset` breaks the connection off in place of an answer. */
export type ReceiverBehaviour = ReceiverAnswer | 'silence' | 'reset';

export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/hook` (https with `tls`). */
  readonly url: string;
  readonly port: number;
  /** What it got, in the order of arrival. */
  readonly received: ReceivedPost[];
  /** How many connections were opened so far. */
  readonly connections: number;
  /** What it answers from now on. */
  answerWith(behaviour: ReceiverBehaviour | ((post: ReceivedPost) => ReceiverBehaviour)): void;
  /**
   * Resolves with the first `count` posts as soon as they are there; rejects after `timeoutMs`, default 5,000, and where one
   * that is signed is not as the OpenAPI document says.
   */
  waitFor(count: number, timeoutMs?: number): Promise<ReceivedPost[]>;
}

export interface ReceiverOptions {
  /** Default: 200 without a body. */
  answer?: ReceiverBehaviour | ((post: ReceivedPost) => ReceiverBehaviour);
  /** Default 127.0.0.1. */
  host?: string;
  /** PEM texts. Default: http. */
  tls?: { cert: string; key: string };
}

/** @param options what it answers at first, and where it listens */
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
    for (const look of waiting) look();
    await play(typeof answer === 'function' ? answer(post) : answer, response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    // A sender that breaks off is what some tests are about.
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
        const look = () => {
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
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function play(behaviour: ReceiverBehaviour, response: ServerResponse): Promise<void> {
  if (behaviour === 'silence') return;
  if (behaviour === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status = 200, headers = {}, body = '', delayMs = 0, ending } = behaviour;
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
 * What a receiver does (docs/contract.md, Signatures): whether a post was signed with the secret, at most 5 minutes ago.
 * @param header `x-mail-signature-next` while a secret is rotated
 */
export function isSigned(post: ReceivedPost, secret: string, header = 'x-mail-signature'): boolean {
  const match = SIGNATURE.exec(String(post.headers[header]));
  if (match === null) return false;
  const [, time = '', signature] = match;
  const expected = createHmac('sha256', secret).update(`${time}.${post.body}`).digest('hex');
  const isFresh = Math.abs(post.atMs / 1_000 - Number(time)) <= TOLERANCE_SECONDS;
  return isFresh && signature === expected;
}
