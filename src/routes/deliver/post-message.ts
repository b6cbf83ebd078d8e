/** One attempt at a message: its bytes, in the format of the route, signed. */
import type { Blobs } from '../../blobs/blobs.ts';
import { ByteBudget, type ByteReservation } from '../../concurrency/byte-budget.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import type { PostResult } from '../../net/http-exchange.ts';
import { MAX_IN_FLIGHT } from '../../webhooks/deliver/delivery-sender.ts';
import { deliveryHeaders } from '../../webhooks/post-event.ts';
import type { FormattedMessage } from '../formats/question.ts';
import type { MessageFormatter } from '../formats/message-formatter.ts';
import type { RouteLinks } from '../formats/route-links.ts';
import { routedMessage } from '../routed-message.ts';
import type { LoadedMessage } from './load-messages.ts';

/** The time limit for a response. */
const RESPONSE_TIMEOUT_MS = 20_000;
/** How long a message waits until it is prepared. After it, the message is released, and claimed again later. */
const MAX_WAIT_MS = 15_000;
/** The messages that are prepared at the same time. */
const PREPARED = { slots: 16, slotsPerOwner: 4, maxWaitingPerOwner: MAX_IN_FLIGHT };
/** The reason why an attempt did not begin: too many messages, or too large ones, are being sent. Such an attempt is not counted. */
export const BUSY = 'too many messages are being sent';

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
  readonly #prepared = new FairSlots({ ...PREPARED, makeError: busy });

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
      const prepared = await this.#inTurn(projectId, () => this.#prepare(item, reservation));
      return prepared === null ? { unsent: 'the message is gone' } : await this.#post(item, prepared);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') return { unsent: error.message };
      throw error;
    } finally {
      reservation.resize(0);
    }
  }

  async #inTurn<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(busy()), MAX_WAIT_MS);
    return this.#prepared.run(projectId, waiting.signal, () => {
      clearTimeout(timer);
      return work();
    });
  }

  /** @returns null if the bytes are gone */
  async #prepare(
    { delivery, format, message }: LoadedMessage,
    reservation: ByteReservation,
  ): Promise<FormattedMessage | null> {
    const { projectId, webhookId: routeId, id: messageId } = delivery;
    const { blobs, formatter, links } = this.#options;
    // A message that is larger than the share of its project is sent alone.
    reservation.resize(Math.min(message.octets * COPIES, MAX_BYTES_OF_PROJECT / 2));
    const bytes = await (await blobs.open(projectId, message.digest))?.read();
    if (bytes == null) return null;
    const routed = routedMessage(routeId, message, bytes);
    return formatter.format(projectId, format, routed, links.of({ projectId, routeId, messageId }));
  }

  #post(
    { delivery, url, credentials, secrets }: LoadedMessage,
    { contentType, body }: FormattedMessage,
  ): Promise<PostResult> {
    const id = encodeId('rm', delivery.id);
    return this.#options.client.post(url, {
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
  return new AppError('unavailable', BUSY);
}
