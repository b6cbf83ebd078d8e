/** POP3 on one connection: one command at a time, in order. What a client sends ahead waits in the network. */
import type { ClientConnection } from '../tcp/client-connection.ts';
import { authorize, type AuthorizeOptions } from './authorize.ts';
import { REPLIES } from './replies.ts';
import { transact, type TransactOptions } from './transact.ts';

export interface Pop3Options extends AuthorizeOptions, TransactOptions {
  hostname: string;
  /** For signing in: who may not read anything yet holds a place of others. */
  signInMs: number;
}

/** Resolves when the connection is over. */
export async function servePop3(connection: ClientConnection, options: Pop3Options): Promise<void> {
  const late = setTimeout(() => connection.end(REPLIES.tooLong), options.signInMs);
  connection.write(`+OK ${options.hostname} POP3`);
  const opened = await authorize(connection, options);
  clearTimeout(late);
  if (opened === null) return;
  connection.isTrusted = true;
  await using maildrop = opened;
  const { ended } = maildrop.owner;
  const { lost } = maildrop.held;
  const onEnded = (): void => connection.end(REPLIES.ended);
  const onLost = (): void => connection.end(REPLIES.lostMailbox);
  ended.addEventListener('abort', onEnded);
  lost.addEventListener('abort', onLost);
  if (ended.aborted) onEnded();
  if (lost.aborted) onLost();
  await transact(connection, maildrop, options);
  ended.removeEventListener('abort', onEnded);
  lost.removeEventListener('abort', onLost);
}
