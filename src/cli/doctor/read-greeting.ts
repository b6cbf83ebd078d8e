import { dial } from '../../sending/deliver/smtp/dial.ts';
import { replyText, type SmtpReply } from '../../rfc/smtp/reply.ts';
import { ReplyParser } from '../../rfc/smtp/reply-parser.ts';
import type { World } from './world.ts';

const MAX_TEXT = 300;

export type Greeting =
  | {
      readonly reply: SmtpReply;
      readonly text: string;
      /** To EHLO; null: there is none. */
      readonly ehlo: SmtpReply | null;
    }
  | { readonly error: string };

/**
 * The first reply of an SMTP server (RFC 5321, section 3.1), and where that is 220 the one to EHLO, after which the connection ends.
 * @returns errors for people
 */
export async function readGreeting(
  address: string,
  port: number,
  { config, timeoutMs, signal }: Pick<World, 'config' | 'timeoutMs' | 'signal'>,
): Promise<Greeting> {
  const dialled = await dial(address, port, { timeoutMs, lookup: undefined, signal });
  if ('error' in dialled) return { error: `no connection (${dialled.error})` };
  const { socket } = dialled;
  const parser = new ReplyParser();
  const { promise, resolve } = Promise.withResolvers<Greeting>();
  let greeted: SmtpReply | null = null;
  const end = (error: string, ehlo: SmtpReply | null = null): void =>
    resolve(greeted === null ? { error } : { reply: greeted, text: replyText(greeted, MAX_TEXT), ehlo });
  const timer = setTimeout(end, timeoutMs, 'a connection, and no greeting');
  socket.on('data', (chunk) => {
    for (const reply of parser.push(chunk)) {
      if (greeted !== null) return end('', reply);
      greeted = reply;
      if (reply.code !== 220) return end('');
      socket.write(`EHLO ${config.hostname}\r\n`);
    }
    if (parser.fault !== null) end('something that is not SMTP');
  });
  socket.on('error', () => end('a connection that broke'));
  socket.on('close', () => end('a connection that ended without a greeting'));
  const greeting = await promise;
  clearTimeout(timer);
  socket.end('QUIT\r\n');
  socket.destroySoon();
  return greeting;
}
