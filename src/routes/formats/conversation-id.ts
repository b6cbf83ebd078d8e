import { createHash } from 'node:crypto';
import { encodeId } from '../../model/ids.ts';
import type { ReadMail } from './read-mail.ts';

/**
 * The same id for the messages of a route that answer each other. It is computed from the first message of the conversation that the header
 * names, so a program can compute nothing from it, and no database is needed.
 * @param routeId `rt_…`
 * @returns null if the message has no Message-ID
 */
export function conversationId(
  routeId: string,
  { references, inReplyTo, messageId }: Pick<ReadMail, 'references' | 'inReplyTo' | 'messageId'>,
): string | null {
  const root = references[0] ?? inReplyTo ?? messageId;
  if (root === null) return null;
  const hex = createHash('sha256').update(`${routeId} ${root}`).digest('hex');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return encodeId('thr', uuid);
}
