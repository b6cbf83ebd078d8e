/**
 * A server that behaves as documented for Amazon SES (API v2) and SNS: it checks every signature with its own code, stores accepted
 * messages, responds as configured, and publishes to subscribers.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signatureError } from './ses-signature.ts';
import { type SnsTopic, snsTopic } from './sns-topic.ts';
import { snsCertificate } from './tls/certificate.ts';

export const REGION = 'eu-test-1';
export const KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

export interface AcceptedMessage {
  /** The id that SES assigned. */
  messageId: string;
  rcptTo: string[];
  data: Buffer;
  /** The message as sent to recipients. SES sets some header fields itself. */
  passedOn: Buffer;
  fromEmailAddress: string | null;
  feedbackAddress: string | null;
  tags: Record<string, string>;
  configurationSet: string | null;
  atMs: number;
}

interface ErrorAnswer {
  status: number;
  /** The value of the header `x-amzn-errortype`. Default: no header. */
  type?: string;
  message?: string;
  /** A body that replaces the JSON body with `message`. */
  body?: string;
}

/** `close` and `reset` end the connection without a response. `silence` never responds. `late-close` accepts the message, then closes. */
export type SesFault = ErrorAnswer | 'close' | 'reset' | 'silence' | 'late-close';

export interface SesServer extends AsyncDisposable {
  /** The origin, for POSTHORN_SES_ENDPOINT. */
  readonly origin: string;
  readonly messages: AcceptedMessage[];
  /** The number of all send requests, including rejected requests. */
  readonly sendRequests: number;
  readonly connections: number;
  /** The secrets of the valid access keys, by access key id. */
  keys: Record<string, string>;
  /** The rate in the response to GetAccount. Null denies access. */
  maxSendRate: number | null;
  /** Returns the fault for a message, or undefined to accept the message. */
  fault: (recipient: string, nth: number) => SesFault | undefined;
  readonly topic: SnsTopic;
  /** Ends all connections and stops listening. */
  stop(): Promise<void>;
}

/** @param port by default 0, which picks a free port */
export async function startSesServer({ port = 0 }: { port?: number } = {}): Promise<SesServer> {
  const messages: AcceptedMessage[] = [];
  const tries = new Map<string, number>();
  let sendRequests = 0;
  let connections = 0;

  const http = createServer((request, response) => {
    // Some tests abort requests.
    answer(request, response).catch(() => response.destroy());
  });
  http.on('connection', () => {
    connections += 1;
  });
  http.listen(port, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const topic = snsTopic(origin, REGION);

  const server: SesServer = {
    origin,
    messages,
    get sendRequests() {
      return sendRequests;
    },
    get connections() {
      return connections;
    },
    keys: { [KEY.accessKeyId]: KEY.secretAccessKey },
    maxSendRate: 1_000,
    fault: () => undefined,
    topic,
    async stop() {
      http.closeAllConnections();
      if (http.listening) await new Promise((resolve) => http.close(resolve));
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', rawHeaders } = request;
    const body = Buffer.concat(chunks);
    if (method === 'GET' && url.endsWith('.pem')) {
      const cert = url === topic.certificatePath ? snsCertificate.cert : topic.certificates.get(url);
      response.writeHead(cert === undefined ? 404 : 200).end(cert ?? 'no such file');
      return;
    }
    if (method === 'GET' && url.startsWith('/?Action=ConfirmSubscription')) {
      const isConfirmed = topic.confirm(new URL(url, origin).searchParams);
      response.writeHead(isConfirmed ? 200 : 400).end('<ConfirmSubscriptionResponse/>');
      return;
    }
    const isSend = method === 'POST' && url === '/v2/email/outbound-emails';
    if (isSend) sendRequests += 1;
    const denied = signatureError({ method, url, rawHeaders, body }, server.keys, {
      region: REGION,
      service: 'ses',
    });
    if (denied !== null) refuse(response, { status: 403, ...denied });
    else if (isSend) send(body, response);
    else if (method === 'GET' && url === '/v2/email/account') account(response);
    else refuse(response, { status: 404, type: 'NotFoundException', message: 'no such operation' });
  }

  function account(response: ServerResponse): void {
    if (server.maxSendRate === null) {
      const message =
        'User: arn:aws:iam::111122223333:user/posthorn is not authorized to perform: ses:GetAccount';
      refuse(response, { status: 403, type: 'AccessDeniedException', message });
      return;
    }
    answerJson(response, 200, {
      EnforcementStatus: 'HEALTHY',
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      SendQuota: { Max24HourSend: 50_000, MaxSendRate: server.maxSendRate, SentLast24Hours: messages.length },
    });
  }

  function send(body: Buffer, response: ServerResponse): void {
    const message = readSend(body);
    if (message === null) {
      refuse(response, { status: 400, type: 'BadRequestException', message: 'Invalid request' });
      return;
    }
    const [recipient = ''] = message.rcptTo;
    const nth = (tries.get(recipient) ?? 0) + 1;
    tries.set(recipient, nth);
    const fault = server.fault(recipient, nth);
    if (fault === undefined || fault === 'late-close') messages.push(message);
    if (fault === undefined) answerJson(response, 200, { MessageId: message.messageId });
    else if (fault === 'close' || fault === 'late-close') response.socket?.destroy();
    else if (fault === 'reset') response.socket?.resetAndDestroy();
    else if (fault !== 'silence') refuse(response, fault);
  }

  return server;
}

function refuse(response: ServerResponse, { status, type, message = '', body }: ErrorAnswer): void {
  if (type !== undefined) response.setHeader('x-amzn-ErrorType', type);
  if (body === undefined) answerJson(response, status, { message });
  else response.writeHead(status).end(body);
}

function answerJson(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-RequestId': randomUUID() });
  response.end(JSON.stringify(json));
}

interface SendEmailRequest {
  Content?: { Raw?: { Data?: string } };
  Destination?: { ToAddresses?: string[] };
  FromEmailAddress?: string;
  FeedbackForwardingEmailAddress?: string;
  EmailTags?: { Name: string; Value: string }[];
  ConfigurationSetName?: string;
}

/** @returns null for a request that the documentation does not allow */
function readSend(body: Buffer): AcceptedMessage | null {
  const request = JSON.parse(body.toString()) as SendEmailRequest;
  const { EmailTags: tags = [] } = request;
  const areTagsValid = tags.every((tag) =>
    [tag.Name, tag.Value].every((text) => /^[A-Za-z0-9_-]{1,256}$/.test(text)),
  );
  const data = Buffer.from(request.Content?.Raw?.Data ?? '', 'base64');
  if (data.length === 0 || !areTagsValid) return null;
  const messageId = `0107${randomUUID()}-000000`;
  return {
    messageId,
    rcptTo: request.Destination?.ToAddresses ?? [],
    data,
    passedOn: overwrite(data, messageId),
    fromEmailAddress: request.FromEmailAddress ?? null,
    feedbackAddress: request.FeedbackForwardingEmailAddress ?? null,
    tags: Object.fromEntries(tags.map(({ Name, Value }) => [Name, Value])),
    configurationSet: request.ConfigurationSetName ?? null,
    atMs: Date.now(),
  };
}

function overwrite(data: Buffer, messageId: string): Buffer {
  const text = data.toString('latin1');
  const end = text.indexOf('\r\n\r\n') + 2;
  const header = text.slice(0, end).replace(/^(?:Message-ID|Date):.*\r\n(?:[ \t].*\r\n)*/gim, '');
  const own = `Message-ID: <${messageId}@${REGION}.amazonses.com>\r\nDate: ${new Date().toUTCString()}\r\n`;
  return Buffer.from(own + header + text.slice(end), 'latin1');
}
