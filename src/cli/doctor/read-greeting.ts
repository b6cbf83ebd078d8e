import { dial } from '../../mail/deliver/smtp/dial.ts';
import { replyText, type SmtpReply } from '../../rfc/smtp/reply.ts';
import { ReplyParser } from '../../rfc/smtp/reply-parser.ts';
import type { World } from './world.ts';

const MAX_TEXT = 300;

export type Greeting = { readonly reply: SmtpReply; readonly text: string } | { readonly error: string };

/** The first reply of an SMTP server (RFC 5321, section 3.1), after which the connection ends. @returns errors for people */
export async function readGreeting(
  address: string,
  port: number,
  { timeoutMs, signal }: Pick<World, 'timeoutMs' | 'signal'>,
): Promise<Greeting> {
  const dialled = await dial(address, port, { timeoutMs, lookup: undefined, signal });
  if ('error' in dialled) return { error: `no connection (${dialled.error})` };
  const { socket } = dialled;
  const parser = new ReplyParser();
  const { promise, resolve } = Promise.withResolvers<Greeting>();
  const timer = setTimeout(resolve, timeoutMs, { error: 'a connection, and no greeting' });
  socket.on('data', (chunk) => {
    const [reply] = parser.push(chunk);
    if (reply !== undefined) resolve({ reply, text: replyText(reply, MAX_TEXT) });
    else if (parser.fault !== null) resolve({ error: 'something that is not SMTP' });
  });
  socket.on('error', () => resolve({ error: 'a connection that broke' }));
  socket.on('close', () => resolve({ error: 'a connection that ended without a greeting' }));
  const greeting = await promise;
  clearTimeout(timer);
  socket.end('QUIT\r\n');
  socket.destroySoon();
  return greeting;
}
