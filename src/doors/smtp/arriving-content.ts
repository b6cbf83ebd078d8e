/**
 * The content of one message while it arrives: a small message in memory, a large message in a file. A large message is read into memory
 * once it is complete. So a client that sends 40 MB for a quarter of an hour occupies only disk space.
 */
import type { ContentBuffer, ReadContent } from '../../rfc/smtp/content-buffer.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { MAX_MESSAGE_OCTETS } from './replies.ts';
import type { Spool, SpoolFile } from './spool.ts';

/** Messages above this size are written to a file. */
const LARGE_OCTETS = 256 * 1024;
/** Octets of a large message that are in memory before they are written to the file. */
const WINDOW_OCTETS = 128 * 1024;
/** Octets to add to the size that a client declared, because it may count line ends and dots differently from this server. */
const SLACK_OCTETS = 64 * 1024;

export interface ContentStores {
  /** Memory for content, in octets, that the connections of a port share. */
  memory: SharedQuota;
  /** Disk space for content, in octets. */
  disk: SharedQuota;
  spool: Pick<Spool, 'create'>;
}

export class ArrivingContent {
  readonly #connection: ClientConnection;
  readonly #stores: ContentStores;
  /** Disk space for the message if it becomes large. */
  readonly #expectedOctets: number;
  #arrived = 0;
  /** Octets of memory that the message occupies. */
  #memory = 0;
  #isLarge = false;
  #file: SpoolFile | null = null;

  /** @param size the size that the client declared (RFC 1870) */
  constructor(connection: ClientConnection, stores: ContentStores, size: number | null) {
    this.#connection = connection;
    this.#stores = stores;
    this.#expectedOctets =
      size === null || size + SLACK_OCTETS <= LARGE_OCTETS
        ? MAX_MESSAGE_OCTETS
        : Math.min(size + SLACK_OCTETS, MAX_MESSAGE_OCTETS);
  }

  /** Reserves memory for the `ContentBuffer`. */
  readonly reserve = (octets: number): boolean => {
    const isGranted = this.#stores.memory.take(this.#connection, octets);
    if (isGranted) this.#memory += octets;
    return isGranted;
  };

  /**
   * Call this method for each piece of input before storing the piece. Resolves when there is space for the piece, or when the content has
   * been discarded. The caller reads no input in the meantime. A message waits for disk space only once, before it becomes large, and then
   * for all of its space. Otherwise several messages, by attack or by chance, could each take part of the space and grow until none of them
   * can finish.
   */
  async admit(octets: Buffer, buffer: ContentBuffer): Promise<void> {
    this.#arrived += octets.length;
    if (this.#arrived < LARGE_OCTETS) return;
    if (!this.#isLarge) {
      this.#isLarge = true;
      const hasSpace = await this.#stores.disk.takeQueued(this.#connection, this.#expectedOctets);
      this.#file = hasSpace ? await this.#stores.spool.create() : null;
    }
    if (buffer.length + octets.length > WINDOW_OCTETS && (await this.#file?.append(buffer.drain())) !== true)
      buffer.lose('no-memory');
  }

  /** The complete message. @param read what the buffer still has */
  async complete(read: ReadContent): Promise<ReadContent> {
    const file = this.#file;
    if (file === null || 'fault' in read) return read;
    const octets = file.octets + read.data.length;
    if (!(await this.#stores.memory.takeQueued(this.#connection, this.#memory + octets)))
      return { fault: 'no-memory' };
    const data = Buffer.allocUnsafeSlow(octets);
    read.data.copy(data, file.octets);
    return (await file.readInto(data)) ? { data } : { fault: 'no-memory' };
  }

  /** Releases the memory and the file. */
  release(): void {
    this.#stores.memory.release(this.#connection);
    this.#stores.disk.release(this.#connection);
    void this.#file?.close();
    this.#file = null;
  }
}
