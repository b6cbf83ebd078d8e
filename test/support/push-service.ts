/** A push service on a real socket (RFC 8030), with the browsers that subscribe to it. It stores requests and responds as configured. */
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushMessage } from '../../src/contract/mail/push.ts';
import { decryptPush, newReceiver } from '../../src/rfc/web-push/decrypt-push.fixture.ts';

interface ReceivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** `silence` never responds; `endless` sends a body without an end. */
export type PushBehavior = { status: number; headers?: Record<string, string> } | 'silence' | 'endless';

/** The subscription of a browser. */
export interface PushBrowser {
  /** What the browser sends to the web client, without `public_key` and `content`. */
  subscription: { endpoint: string; p256dh: string; auth: string };
  /** The messages that the push service has received for the browser, decrypted. */
  messages(): PushMessage[];
}

export interface PushService extends AsyncDisposable {
  received: ReceivedPush[];
  url: string;
  answerWith(behavior: PushBehavior): void;
  newBrowser(): PushBrowser;
}

export async function startPushService(): Promise<PushService> {
  let behavior: PushBehavior = { status: 201 };
  let browsers = 0;
  const received: ReceivedPush[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      answer(behavior, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    received,
    url,
    answerWith(next) {
      behavior = next;
    },
    newBrowser() {
      const receiver = newReceiver();
      const path = `/push/${++browsers}`;
      const { publicKey, auth } = receiver.keys;
      return {
        subscription: {
          endpoint: url + path,
          p256dh: publicKey.toString('base64url'),
          auth: auth.toString('base64url'),
        },
        messages: () =>
          received
            .filter((each) => each.path === path)
            .map(({ body }) => JSON.parse(decryptPush(body, receiver).toString()) as PushMessage),
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(behavior: PushBehavior, response: ServerResponse): void {
  if (behavior === 'silence') return;
  if (behavior === 'endless') {
    response.writeHead(201);
    const timer = setInterval(() => response.write(Buffer.alloc(16_384)), 1);
    response.on('close', () => clearInterval(timer));
    return;
  }
  response.writeHead(behavior.status, behavior.headers).end();
}

/** The claims of a VAPID signature. @throws if the signature is not by the key of the header, or the key is another one */
export function claimsOf(authorization: string, publicKey: string): Record<string, unknown> {
  const [, head = '', body = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error('the request names another key');
  const point = Buffer.from(key, 'base64url');
  const coordinate = (at: number) => point.subarray(at, at + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey({ format: 'jwk', key: jwk }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
}
