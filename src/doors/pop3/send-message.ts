import type { OpenBlob } from '../../blobs/blobs.ts';
import { MultiLine, TopOfMessage } from '../../rfc/pop3/multi-line.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { REPLIES } from './replies.ts';

/** What is held of a message at a time, and sent before the next is read. */
const PIECE_OCTETS = 256 * 1024;

/**
 * Sends a message as the client takes it. Once its begin was sent there is no way to say that the rest cannot be read but to break off.
 * @param blob null: its bytes are gone
 * @param lines of the body after the header; null: all of it
 * @returns whether all of it was sent
 * @throws where the first piece cannot be read
 */
export async function sendMessage(
  connection: ClientConnection,
  blob: OpenBlob | null,
  title: string,
  lines: number | null,
): Promise<boolean> {
  const out = new MultiLine();
  const top = lines === null ? null : new TopOfMessage(lines);
  const size = blob?.size ?? 0;
  const read = (start: number) => blob?.read({ start, end: Math.min(start + PIECE_OCTETS, size) }) ?? null;
  const first = await read(0);
  if (first === null) throw new Error('the bytes of a message are missing');
  connection.write(title);
  let piece: Buffer | null = first;
  for (let at = 0; ; ) {
    connection.send(out.push(top === null ? piece : top.take(piece)));
    await connection.drained();
    at += piece.length;
    if (at >= size || top?.isOver === true) break;
    piece = await Promise.resolve(read(at)).catch(() => null);
    if (piece === null || piece.length === 0) connection.end(REPLIES.brokenOff);
    if (piece === null || connection.isOver) return false;
  }
  connection.send(out.end());
  return !connection.isOver;
}
