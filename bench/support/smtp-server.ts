/** A minimal SMTP server that accepts all messages and stores none. */
import type { Socket } from 'node:net';

const END_OF_MESSAGE = '\r\n.\r\n';
const GREETING = '220 sink ESMTP\r\n';
const CAPABILITIES =
  '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES\r\n';
const OK = '250 2.0.0 ok\r\n';

export interface ServerBehavior {
  /** The delay before each reply. Replies to commands that arrive together are sent together. */
  delayMs: number;
  /** Returns the additional delay before the reply to a message. By default there is no additional delay. */
  workMs?: () => number;
  /** Called when a message is accepted. The reply may be sent later. */
  onMessage: () => void;
}

export function serveSmtp(socket: Socket, { delayMs, workMs, onMessage }: ServerBehavior): void {
  let inMessage = false;
  let hasQuit = false;
  let pending = '';
  /** Replies that wait for their time or for earlier replies. */
  const due: { replies: string; isLast: boolean; atMs: number }[] = [];
  const write = (replies: string, isLast: boolean): unknown =>
    isLast ? socket.end(replies) : socket.write(replies);
  const writeDue = (): void => {
    for (let next = due[0]; next !== undefined; next = due[0]) {
      const waitMs = next.atMs - performance.now();
      if (waitMs > 0) return void setTimeout(writeDue, waitMs);
      due.shift();
      write(next.replies, next.isLast);
    }
  };
  // A client may send its next message before the reply to the last one, and replies keep the order of the commands (RFC 2920).
  const reply = (replies: string, forMs: number): void => {
    if (forMs === 0 && due.length === 0) return void write(replies, hasQuit);
    due.push({ replies, isLast: hasQuit, atMs: performance.now() + forMs });
    if (due.length === 1) setTimeout(writeDue, forMs);
  };
  const command = (line: string): string => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return CAPABILITIES;
    if (verb === 'QUIT') {
      hasQuit = true;
      return '221 2.0.0 bye\r\n';
    }
    if (verb !== 'DATA') return OK;
    inMessage = true;
    // Add a line break, because the end marker may follow DATA at once, without a line before the marker.
    pending = `\r\n${pending}`;
    return '354 go on\r\n';
  };
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (chunk: string) => {
    pending += chunk;
    let replies = '';
    let forMs = delayMs;
    for (;;) {
      const end = inMessage ? END_OF_MESSAGE : '\r\n';
      const at = pending.indexOf(end);
      if (at === -1) break;
      const line = pending.slice(0, at);
      pending = pending.slice(at + end.length);
      if (inMessage) {
        inMessage = false;
        onMessage();
        forMs += workMs?.() ?? 0;
        replies += OK;
      } else replies += command(line);
    }
    // Drop all bytes except the last ones, which may be the beginning of the end marker.
    if (inMessage) pending = pending.slice(1 - END_OF_MESSAGE.length);
    if (replies !== '') reply(replies, forMs);
  });
  reply(GREETING, delayMs);
}
