import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import { encodeId, timeOf } from '../model/ids.ts';
import { LOOP_FIELD } from '../model/routes.ts';
import type { Authentication } from '../receiving/authenticate/authentication.ts';
import type { SpamVerdict } from '../receiving/spam/verdict.ts';

/** A message as a route passes it to its receiver. */
export interface RoutedMessage {
  /** `rm_…`: the same in every attempt. */
  id: string;
  /** `rt_…` */
  routeId: string;
  receivedAt: Date;
  /** The return path without angle brackets. Empty for delivery reports. */
  reversePath: string;
  /** The recipients of the envelope that the route matched, with their tags. */
  recipients: readonly string[];
  /** The client's IP address; empty if unknown. */
  clientAddress: string;
  /** The client's name from EHLO or HELO. */
  helo: string;
  authentication: Omit<Authentication, 'header'>;
  spam: SpamVerdict;
  /** The stored message, which begins with our trace fields, with the field `LOOP_FIELD` in front. */
  raw: Buffer;
}

/** A stored message without its bytes. */
export const STORED_MESSAGE = columnsOf({
  id: 'uuid',
  digest: 'bytea',
  octets: 'int4',
  reversePath: 'text',
  recipients: 'text[]',
  clientAddress: 'text',
  helo: 'text',
  authentication: shaped<RoutedMessage['authentication']>('json'),
  spam: shaped<RoutedMessage['spam']>('json'),
});
export type StoredMessage = RowOf<typeof STORED_MESSAGE>;

/** SQL: the columns of `STORED_MESSAGE`, from the table as `m`. */
export const STORED_COLUMNS = sql`
  m.id, m.digest, m.octets, m.reverse_path, m.recipients, m.client_address, m.helo, m.authentication, m.spam`;

/** The message as its route passes it on. @param routeId uuid @param raw the stored bytes */
export function routedMessage(
  routeId: string,
  { id, reversePath, recipients, clientAddress, helo, authentication, spam }: StoredMessage,
  raw: Buffer,
): RoutedMessage {
  return {
    id: encodeId('rm', id),
    routeId: encodeId('rt', routeId),
    receivedAt: timeOf(id),
    reversePath,
    recipients,
    clientAddress,
    helo,
    authentication,
    spam,
    raw: Buffer.concat([loopField(routeId), raw]),
  };
}

/** The field in front of a message by which its route recognizes it. @param routeId uuid */
export function loopField(routeId: string): Buffer {
  return Buffer.from(`${LOOP_FIELD}: ${encodeId('rt', routeId)}\r\n`);
}
