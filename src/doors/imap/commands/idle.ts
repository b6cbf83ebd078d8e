import { type TaggedResponse, bad, FAREWELLS, ok } from '../responses.ts';
import type { ImapSession } from '../session.ts';

/**
 * IDLE (RFC 9051, section 6.3.13). Reports changes as they happen, until the client sends DONE or the idle timeout ends the connection.
 * Without changes, sends a line every two minutes, because NAT devices and mobile networks forget silent connections.
 */
export async function idle(session: ImapSession): Promise<TaggedResponse> {
  const { connection, output, options } = session;
  // Lines to the client restart the idle timeout of the connection, so IDLE needs its own.
  const endMs = performance.now() + options.signedInIdleMs;
  output.line('+ Idling');
  for (let pollsStore = true; ; pollsStore = false) {
    // Read `notice` before the poll, so that a notice during the poll ends the wait.
    const { notice } = session;
    await session.sendUpdates('everything', pollsStore);
    output.flush();
    if (session.isOver) return bad('The connection is closed');
    const isLate = await connection.waitForInputOr(
      notice,
      Math.min(options.stillHereMs, endMs - performance.now()),
    );
    if (session.isOver) return bad('The connection is closed');
    if (performance.now() >= endMs && !connection.isAhead) session.end(FAREWELLS.idle);
    else if (isLate) session.untagged('OK Still here');
    if (!connection.isAhead) continue;
    const read = await connection.rawLine();
    if (read === null) return bad('The connection is closed');
    if ('fault' in read) {
      session.farewell = FAREWELLS.lineTooLong;
      return bad('Expected DONE');
    }
    return read.octets.toString('latin1').toUpperCase() === 'DONE' ? ok('Done') : bad('Expected DONE');
  }
}
