import { type TaggedResponse, bad, FAREWELLS, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

/** RFC 9051, section 6.3.13: tells what happens as it happens, until the client says DONE or is silent for too long. */
export async function idle(session: ImapSession): Promise<TaggedResponse> {
  const { connection, output } = session;
  output.line('+ Idling');
  for (let looks = true; ; looks = false) {
    // A notice between the look and the wait must wake the wait.
    const { notice } = session;
    await session.tell('everything', looks);
    output.flush();
    if (session.isOver) return bad('The connection is over');
    await connection.inputOr(notice);
    if (session.isOver) return bad('The connection is over');
    if (!connection.isAhead) continue;
    const read = await connection.rawLine();
    if (read === null) return bad('The connection is over');
    if ('fault' in read) {
      session.farewell = FAREWELLS.lineTooLong;
      return bad('The line is not DONE');
    }
    return read.octets.toString('latin1').toUpperCase() === 'DONE' ? ok('Done') : bad('The line is not DONE');
  }
}
