/** One attempt at a message: its bytes, in the format of the route, signed. */
import type { Blobs } from '../../blobs/blobs.ts';
import { ByteBudget } from '../../concurrency/byte-budget.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { LOOP_FIELD } from '../../model/routes.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import type { PostResult } from '../../net/http-exchange.ts';
import { deliveryHeaders } from '../../webhooks/post-event.ts';
import type { MessageFormatter } from '../formats/message-formatter.ts';
import type { RouteLinks } from '../formats/route-links.ts';
import type { LoadedMessage } from './load-messages.ts';

/** The time limit for a response. With the time that a format may take, it is below the lifetime of a claim. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** The bytes of messages in memory. A request holds the message, its text in the format, and the bytes that are sent. */
const MAX_BYTES = 192 * 1024 * 1024;
const MAX_BYTES_OF_PROJECT = MAX_BYTES / 2;
const COPIES = 3;

export interface MessagePosterOptions {
  blobs: Pick<Blobs, 'open'>;
  client: Pick<GuardedClient, 'post'>;
  formatter: Pick<MessageFormatter, 'format'>;
  links: Pick<RouteLinks, 'of'>;
}

export class MessagePoster {
  readonly #options: MessagePosterOptions;
  readonly #budget = new ByteBudget({ maxBytes: MAX_BYTES, makeError: busy });

  constructor(options: MessagePosterOptions) {
    this.#options = options;
  }

  /** Never rejects because of the receiver, or because the message cannot be sent now. */
  async post(item: LoadedMessage): Promise<PostResult | { unsent: string }> {
    const { projectId } = item.delivery;
    const reservation = this.#budget.open([
      { holder: projectId, maxBytes: MAX_BYTES_OF_PROJECT, makeError: busy },
    ]);
    try {
      // A message that is larger than the share of its project is sent alone.
      reservation.resize(Math.min(item.message.octets * COPIES, MAX_BYTES_OF_PROJECT / 2));
      return await this.#post(item);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') return { unsent: error.message };
      throw error;
    } finally {
      reservation.resize(0);
    }
  }

  async #post({
    delivery,
    url,
    format,
    credentials,
    secrets,
    message,
  }: LoadedMessage): Promise<PostResult | { unsent: string }> {
    const { projectId, webhookId: routeId, id: messageId } = delivery;
    const { blobs, client, formatter, links } = this.#options;
    const { digest, octets: _, ...envelope } = message;
    const bytes = await (await blobs.open(projectId, digest))?.read();
    if (bytes == null) return { unsent: 'the message is gone' };
    const id = encodeId('rm', messageId);
    const loopField = Buffer.from(`${LOOP_FIELD}: ${encodeId('rt', routeId)}\r\n`);
    const routed = {
      ...envelope,
      id,
      routeId: encodeId('rt', routeId),
      receivedAt: timeOf(messageId),
      raw: Buffer.concat([loopField, bytes]),
    };
    const link = links.of({ projectId, routeId, messageId });
    const { contentType, body } = await formatter.format(projectId, format, routed, link);
    return client.post(url, {
      headers: {
        ...deliveryHeaders(secrets, { id, body }, Math.floor(clock.nowMs() / 1_000)),
        'content-type': contentType,
        'user-agent': 'Service-Routes/1.0',
        ...(credentials === null
          ? {}
          : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      body,
      timeoutMs: RESPONSE_TIMEOUT_MS,
    });
  }
}

function busy(): AppError {
  return new AppError('unavailable', 'Too many large messages are being sent.');
}
