/** Reads the messages of routes for programs: the next ones, one of them, and its files. */
import type { Blobs, OpenBlob } from '../../blobs/blobs.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import { MAX_ROUTE_MESSAGES, type RouteMessagesQuery } from '../../contract/route-messages.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { Sealer } from '../../db/seal.ts';
import { AppError, unavailable } from '../../model/app-error.ts';
import { cursorOf } from '../../model/cursor.ts';
import { encodeId } from '../../model/ids.ts';
import { partBytes } from '../../store/parts/part-bytes.ts';
import type { MessageFormatter } from '../formats/message-formatter.ts';
import type { RouteLinks, RouteMessageKey } from '../formats/route-links.ts';
import { loopField, type RoutedMessage, routedMessage } from '../routed-message.ts';
import { findAccess, findMessage, findNext, type RouteKey, type PlacedMessage } from './find-messages.ts';
import { isRouteSecret } from './route-secret.ts';
import { Waiting, type WaitingOptions } from './waiting.ts';

export interface RouteMessagesOptions extends WaitingOptions {
  reads: FairReads;
  blobs: Blobs;
  sealer: Sealer;
  formatter: Pick<MessageFormatter, 'write' | 'findPart'>;
  links: RouteLinks;
}

/** A file of a message, or the whole message. */
export interface MessageDownload {
  name: string;
  read(): AsyncIterable<Buffer>;
}

/** The position after which messages are returned. */
const AFTER = cursorOf('route messages', { position: 'unsigned' });
/** The maximum number of bytes of the messages in one response. The first message is always in it. */
const MAX_OCTETS = 4 * 1_048_576;
const DOWNLOADS = { slots: 20, slotsPerOwner: 5, maxWaitingPerOwner: 50 };

export class RouteMessages {
  readonly #options: RouteMessagesOptions;
  readonly #waiting: Waiting;
  readonly #downloads = new FairSlots({
    ...DOWNLOADS,
    makeError: () =>
      unavailable('Too many files of routed messages are being downloaded. Try again in a few seconds.'),
  });

  constructor(options: RouteMessagesOptions) {
    this.#options = options;
    this.#waiting = new Waiting(options);
  }

  /**
   * The next messages, as the JSON of `RouteMessageList`. Waits for the first one if there is none.
   * @param signal aborts when the client has left
   * @param stopping ends the wait when it aborts, because the process stops
   * @returns null if the project has no such route
   * @throws AppError validation-failed for an invalid cursor or a route whose mailbox permits no access; rate-limited, unavailable
   */
  async next(
    route: RouteKey,
    { after, wait = 0, limit = MAX_ROUTE_MESSAGES }: RouteMessagesQuery,
    signal: AbortSignal,
    stopping: AbortSignal,
  ): Promise<string | null> {
    const { position } = after === undefined ? { position: '0' } : AFTER.decode(after, 'after');
    if (!(await this.#mayRead(route))) return null;
    const find = async (): Promise<PlacedMessage[] | null> => {
      const found = await this.#options.reads.run(route.projectId, (database) =>
        findNext(database, route, position, limit + 1),
      );
      return found.length === 0 ? null : found;
    };
    const waits = { waitMs: wait * 1_000, signal, stopping };
    const found = (await (wait === 0 ? find() : this.#waiting.for(route, waits, find))) ?? [];
    const page = pageOf(found, limit);
    const bodies: string[] = [];
    for (const message of page) {
      signal.throwIfAborted();
      const body = await this.#json(route, message);
      if (body !== null) bodies.push(body);
    }
    const last = page.at(-1)?.position ?? position;
    const rest = JSON.stringify({
      cursor: AFTER.encode({ position: last }),
      has_more: found.length > page.length,
    });
    return `{"data":[${bodies.join(',')}],${rest.slice(1)}`;
  }

  /** @returns the JSON of `RouteMessage`; null if the route has no such message @throws AppError unavailable */
  async get(route: RouteKey, messageId: string): Promise<string | null> {
    if (!(await this.#mayRead(route))) return null;
    const message = await this.#find(route, messageId);
    return message === null ? null : this.#json(route, message);
  }

  /** @returns the project of the message that a link names; null if the signature is wrong or has expired */
  projectOf(...link: Parameters<RouteLinks['verify']>): string | null {
    return this.#options.links.verify(...link);
  }

  /** Whether the text is the secret of the route, or during a rotation the previous one. */
  isSecret(route: RouteKey, presented: string): Promise<boolean> {
    const { reads, sealer } = this.#options;
    return reads.run(route.projectId, (database) => isRouteSecret(database, sealer, route, presented));
  }

  /**
   * Opens a file of a message while `use` sends it.
   * @param part the number of a part; null: the whole message
   * @returns null if the message, its bytes or the part do not exist, or if programs may not read the message any more
   * @throws AppError unavailable
   */
  async download<Result>(
    key: RouteMessageKey,
    part: string | null,
    signal: AbortSignal,
    use: (download: MessageDownload) => Promise<Result>,
  ): Promise<Result | null> {
    const message = await this.#find(key, key.messageId);
    if (message === null) return null;
    return this.#downloads.run(key.projectId, signal, async () => {
      const blob = await this.#options.blobs.open(key.projectId, message.digest);
      if (blob === null) return null;
      if (part === null)
        return use({
          name: `${encodeId('rm', message.id)}.eml`,
          read: () => rawMessage(key.routeId, blob),
        });
      const found = await this.#options.formatter.findPart(key.projectId, () => blob.read(), part);
      return found === null ? null : use({ name: found.name, read: () => partBytes(blob, found) });
    });
  }

  async #mayRead({ projectId, routeId }: RouteKey): Promise<boolean> {
    const access = await this.#options.reads.run(projectId, (database) =>
      findAccess(database, { projectId, routeId }),
    );
    if (access?.isReadable === false)
      throw new AppError(
        'bad-request',
        'The mailbox of the route does not permit access by programs. An admin can permit it on the page of the mailbox.',
      );
    return access !== null;
  }

  #find(route: RouteKey, messageId: string): Promise<PlacedMessage | null> {
    return this.#options.reads.run(route.projectId, (database) => findMessage(database, route, messageId));
  }

  async #json({ projectId, routeId }: RouteKey, message: PlacedMessage): Promise<string | null> {
    const { blobs, formatter, links } = this.#options;
    const open = async (): Promise<RoutedMessage | null> => {
      const raw = await (await blobs.open(projectId, message.digest))?.read();
      return raw === null || raw === undefined ? null : routedMessage(routeId, message, raw);
    };
    const link = links.of({ projectId, routeId, messageId: message.id });
    const body = await formatter.write(projectId, 'json', open, link);
    return body && Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  }
}

function pageOf(found: readonly PlacedMessage[], limit: number): PlacedMessage[] {
  const page: PlacedMessage[] = [];
  let octets = 0;
  for (const message of found.slice(0, limit)) {
    octets += message.octets;
    if (page.length > 0 && octets > MAX_OCTETS) break;
    page.push(message);
  }
  return page;
}

/** The same bytes as in the format `raw`. */
async function* rawMessage(routeId: string, blob: OpenBlob): AsyncGenerator<Buffer> {
  yield loopField(routeId);
  yield* partBytes(blob, { start: 0, end: blob.size, transferEncoding: 'binary' });
}
