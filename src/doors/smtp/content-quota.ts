/** Memory for the content of one message. Small messages take memory as they grow; large messages wait in line for all of their memory. */
import { GROWN_OCTETS } from '../../rfc/smtp/content-buffer.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { MAX_MESSAGE_OCTETS } from './replies.ts';

/** Octets to add to the size that a client declared, because it may count line ends and dots differently from this server. */
const SLACK_OCTETS = 64 * 1024;

export class ContentQuota {
  /** Memory, in octets, for a message that grows beyond `GROWN_OCTETS`. */
  readonly expectedOctets: number;
  readonly #connection: ClientConnection;
  readonly #memory: SharedQuota;
  #arrived = 0;
  #reserved = 0;
  /** Octets that are reserved but not used yet. */
  #unusedOctets = 0;
  /** Whether memory for a large message was granted. Null before any was requested. */
  #mayBeLarge: boolean | null = null;

  /** @param size the size that the client declared (RFC 1870) */
  constructor(connection: ClientConnection, memory: SharedQuota, size: number | null) {
    this.#connection = connection;
    this.#memory = memory;
    this.expectedOctets =
      size === null || size + SLACK_OCTETS <= GROWN_OCTETS
        ? MAX_MESSAGE_OCTETS
        : Math.min(size + SLACK_OCTETS, MAX_MESSAGE_OCTETS);
  }

  /**
   * Call this method for each piece of input before storing the piece. Resolves when there is memory for the message, or when memory is
   * denied and the content will be discarded. The caller reads no input in the meantime. A message waits only once, before it grows large,
   * and then for all of its memory. Otherwise several messages, by attack or by chance, could each take part of the memory and grow until
   * none of them can finish.
   */
  async admit(octets: Buffer): Promise<void> {
    this.#arrived += octets.length;
    if (this.#mayBeLarge !== null || this.#arrived < GROWN_OCTETS) return;
    this.#mayBeLarge = await this.#memory.takeQueued(this.#connection, this.expectedOctets);
    if (this.#mayBeLarge) this.#unusedOctets = this.expectedOctets - this.#reserved;
  }

  /** Reserves memory for `ContentBuffer`. */
  readonly reserve = (octets: number): boolean => {
    if (this.#mayBeLarge === false) return false;
    const isGranted = octets <= this.#unusedOctets || this.#memory.take(this.#connection, octets);
    if (isGranted) {
      this.#reserved += octets;
      this.#unusedOctets = Math.max(0, this.#unusedOctets - octets);
    }
    return isGranted;
  };
}
