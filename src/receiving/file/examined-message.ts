import type { OriginClient } from '../authenticate/trusted-relays.ts';
import type { Examination } from '../examine/examiner.ts';
import type { Hops } from './loops.ts';
import type { MailFromOutside } from './mail-from-outside.ts';

/** A message, and the facts about it that are the same for all mailboxes. */
export interface ExaminedMessage {
  /** Identifies the message in the log and in our Received field. */
  id: string;
  mail: MailFromOutside;
  /** The client by which the message is judged. For mail from a trusted relay, this is not the client of the connection. */
  origin: OriginClient;
  examination: Examination;
  hops: Hops;
}
