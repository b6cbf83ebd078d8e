/** Memory for the content of one message: small ones take it as they grow, large ones wait in line for all of it. */
import { GROWN_OCTETS } from '../../rfc/smtp/content-buffer.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { MAX_MESSAGE_OCTETS } from './replies.ts';

/** Clients count line ends and dots in different ways. */
const SLACK_OCTETS = 64 * 1024;

export class ContentQuota {
  /** How much a message that grows beyond `GROWN_OCTETS` takes. */
  readonly expectedOctets: number;
  readonly #connection: ClientConnection;
  readonly #room: SharedQuota;
  #arrived = 0;
  #held = 0;
  /** Taken and not used yet. */
  #ahead = 0;
  /** Null: it has not waited. */
  #mayBeLarge: boolean | null = null;

  /** @param size what the client says that the message has (RFC 1870) */
  constructor(connection: ClientConnection, room: SharedQuota, size: number | null) {
    this.#connection = connection;
    this.#room = room;
    this.expectedOctets =
      size === null || size + SLACK_OCTETS <= GROWN_OCTETS
        ? MAX_MESSAGE_OCTETS
        : Math.min(size + SLACK_OCTETS, MAX_MESSAGE_OCTETS);
  }

  /**
   * Resolves when what has arrived may be kept, or it is known that it is lost. Meanwhile nothing is read. Attack, or bad luck: messages that
   * grow beside each other until none can end. So a large one waits before it is large, and once.
   */
  async admit(octets: Buffer): Promise<void> {
    this.#arrived += octets.length;
    if (this.#mayBeLarge !== null || this.#arrived < GROWN_OCTETS) return;
    this.#mayBeLarge = await this.#room.takeInLine(this.#connection, this.expectedOctets);
    if (this.#mayBeLarge) this.#ahead = this.expectedOctets - this.#held;
  }

  /** For `ContentBuffer`. */
  readonly reserve = (octets: number): boolean => {
    if (this.#mayBeLarge === false) return false;
    const isThere = octets <= this.#ahead || this.#room.take(this.#connection, octets);
    if (isThere) {
      this.#held += octets;
      this.#ahead = Math.max(0, this.#ahead - octets);
    }
    return isThere;
  };
}
