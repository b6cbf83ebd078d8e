/** A page of the deliveries of a webhook. */
import { bodyOf } from '../../contract/body-of.ts';
import {
  type DeliveryAbout,
  DeliverySummary,
  type DeliveryPage,
  type DeliveryQuery,
} from '../../contract/dashboard/webhooks.ts';
import type { Read } from '../../db/fair-reads.ts';
import { validationError } from '../../model/app-error.ts';
import { cursorOf } from '../../model/cursor.ts';
import { encodeId, firstUuidAt, NIL_UUID, timeOf } from '../../model/ids.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';
import { aboutEmails } from './about-emails.ts';
import {
  type DeliveryFilter,
  findPending,
  findLogged,
  type ListedDelivery,
  type DeliveryScan,
} from './find-deliveries.ts';

/** The number of scans after which a page without enough deliveries is returned. Such a page says how far back it searched. */
const MAX_STEPS = 8;
/**
 * The maximum number of pending deliveries in a list of all deliveries. If more are pending, only the list of pending deliveries contains
 * them.
 */
const MAX_PENDING = 1_000;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Deliveries that are due at the same moment are ordered by event. */
const DUE_END = cursorOf('due deliveries', { dueAt: 'time', eventId: 'uuid' });
const LOGGED_END = cursorOf('deliveries', { id: 'uuid' });

const summaryBody = bodyOf(DeliverySummary);

/** @throws AppError validation-failed for an invalid cursor or time */
export function listDeliveries(read: Read, key: WebhookKey, query: DeliveryQuery): Promise<DeliveryPage> {
  const filter = {
    status: query.status,
    type: query.type,
    fromId: query.since === undefined ? NIL_UUID : idAt('since', query.since),
    untilId: query.until === undefined ? LAST_UUID : idAt('until', query.until),
  };
  return query.status === 'pending'
    ? listPending(read, key, filter, query)
    : listNewest(read, key, filter, query);
}

type Bounds = Pick<DeliveryQuery, 'cursor' | 'limit'>;

async function listPending(
  read: Read,
  key: WebhookKey,
  filter: DeliveryFilter,
  { cursor, limit }: Bounds,
): Promise<DeliveryPage> {
  let end = cursor === undefined ? null : DUE_END.decode(cursor);
  const found: ListedDelivery[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    const after = end;
    const next = await read((database) => findPending(database, key, filter, after, limit - found.length));
    found.push(...next.found);
    end = next.end;
    if (end === null || found.length === limit) break;
  }
  return {
    data: await summaries(read, found),
    next_cursor: end === null ? null : DUE_END.encode(end),
    looked_back_to: null,
    leaves_out_pending: false,
  };
}

async function listNewest(
  read: Read,
  key: WebhookKey,
  filter: DeliveryFilter,
  { cursor, limit }: Bounds,
): Promise<DeliveryPage> {
  let before = filter.untilId;
  if (cursor !== undefined) {
    const { id } = LOGGED_END.decode(cursor);
    if (id < before) before = id;
  }
  // Pending deliveries are read first, so that a delivery that finishes in the meantime is found in the log.
  const pending =
    filter.status === undefined ? await allPending(read, key, { ...filter, untilId: before }) : [];
  const logged: ListedDelivery[] = [];
  let end: string | null = before;
  for (let step = 0; step < MAX_STEPS && end !== null && logged.length < limit; step++) {
    const untilId: string = end;
    const next: DeliveryScan<string> = await read((database) =>
      findLogged(database, key, { ...filter, untilId }, limit - logged.length),
    );
    logged.push(...next.found);
    ({ end } = next);
  }
  const reached = end ?? NIL_UUID;
  const ids = new Set(logged.map(({ id }) => id));
  const waiting = (pending ?? []).filter(({ id }) => id >= reached && !ids.has(id));
  const all = [...logged, ...waiting].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const page = all.slice(0, limit);
  const isCut = all.length > page.length;
  const nextId = isCut ? (page.at(-1)?.id ?? null) : end;
  return {
    data: await summaries(read, page),
    next_cursor: nextId === null ? null : LOGGED_END.encode({ id: nextId }),
    looked_back_to: nextId !== null && page.length < limit ? timeOf(nextId).toISOString() : null,
    leaves_out_pending: pending === null,
  };
}

/** All pending deliveries; null if there are more than `MAX_PENDING`. */
async function allPending(
  read: Read,
  key: WebhookKey,
  filter: DeliveryFilter,
): Promise<ListedDelivery[] | null> {
  const { found, end } = await read((database) => findPending(database, key, filter, null, MAX_PENDING + 1));
  return end === null && found.length <= MAX_PENDING ? found : null;
}

async function summaries(read: Read, rows: readonly ListedDelivery[]): Promise<DeliverySummary[]> {
  const about =
    rows.length === 0
      ? new Map<string, DeliveryAbout>()
      : await read((database) => aboutEmails(database, rows));
  return rows.map((row) => summary(row, about.get(row.eventId) ?? null));
}

function summary(row: ListedDelivery, about: DeliveryAbout | null): DeliverySummary {
  return summaryBody({
    ...row,
    about,
    id: encodeId('dlv', row.id),
    eventId: encodeId('evt', row.eventId),
    emailId: row.emailId === null ? null : encodeId('em', row.emailId),
    createdAt: timeOf(row.id),
  });
}

function idAt(field: 'since' | 'until', text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw validationError({ [field]: 'must be a time, such as 2027-01-31T12:00:00Z' });
  return firstUuidAt(time);
}
