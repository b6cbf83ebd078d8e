import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../model/ids.ts';
import { parseJson } from '../json.ts';

const MAX_IDS = 5_000;

/** @returns a uuid, or `latest`; for a malformed id the nil uuid, which no email has */
export function idIn(id: string): string {
  return id === 'latest' ? id : (decodeId('em', id) ?? NIL_UUID);
}

/** The ids of a request that deletes messages. @returns null for all messages @throws AppError malformed-json, bad-request */
export function idsIn({ body }: Pick<FastifyRequest, 'body'>): string[] | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null;
  const ids = (parseJson(body) as { IDs?: unknown } | null)?.IDs ?? [];
  if (!Array.isArray(ids) || ids.length > MAX_IDS || !ids.every((id) => typeof id === 'string'))
    throw new AppError('bad-request', `IDs must be a list of at most ${MAX_IDS} ids of emails.`);
  return ids.length === 0 ? null : ids.map((id: string) => decodeId('em', id) ?? NIL_UUID);
}
