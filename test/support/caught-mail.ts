/** Delivers all queued mail (locally if the recipient has a mailbox) and records the messages. */
import { InsideMailboxes } from '../../src/receiving/inside/inside-mailboxes.ts';
import { InsideProvider } from '../../src/sending/deliver/inside.ts';
import type { Provider } from '../../src/sending/deliver/provider.ts';
import { judgeAccountLink } from '../../src/sending/service-mail/account-link-guard.ts';
import { startDelivery } from './deliveries.ts';
import { eventually } from './eventually.ts';
import type { TestDatabase } from './postgres.ts';
import { hasWork } from './queue-rows.ts';
import type { Sealer } from '../../src/db/seal.ts';

export interface CaughtMail {
  to: string;
  text: string;
  /**
   * Whether the message was delivered to a local mailbox, where others than its owner may get it too, through forwarding, app passwords or
   * exports.
   */
  isLocal: boolean;
}

/** Tokens of dashboard links in a message, from the URL fragments. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(/\/dashboard\/(?:reset|invitation)#([\w-]+)/g)].map(([, token = '']) => token);
}

export async function catchMail(
  { database, sealer }: Pick<TestDatabase, 'database'> & { sealer: Sealer },
  hostedDomain: string,
): Promise<CaughtMail[]> {
  const caught: CaughtMail[] = [];
  const record = (to: string, data: Buffer, isLocal: boolean): void => {
    caught.push({ to, text: data.toString('utf8').replaceAll('=\r\n', ''), isLocal });
  };
  const outside: Provider = {
    capacity: 20,
    isFinal: true,
    destinations: null,
    async send(message) {
      message.mayCommit();
      record(message.rcptTo, message.data, false);
      const reply = { replyCode: 250, enhancedCode: null, text: 'ok', remoteMta: 'mx.test', tls: true };
      return { outcome: 'accepted', reply: { ...reply, dialogue: null }, providerMessageId: null };
    },
    close: async () => {},
  };
  const mailboxes = new InsideMailboxes({
    database,
    hostedDomain,
    hostname: 'mx.test',
    trustsManualVerification: false,
    mxWatch: { current: (_, known) => known, ownHosts: ['mx.test'] },
    filer: async () => ({
      async file({ raw }, deliveries) {
        for (const { address } of deliveries) record(address, raw, true);
        return 'accepted';
      },
    }),
  });
  const provider = new InsideProvider(outside, mailboxes, 'mx.test', ({ emailId, rcptTo }) =>
    judgeAccountLink(database, emailId, rcptTo),
  );
  await using _ = await startDelivery({ database, sealer }, provider, { hostedDomain });
  if (!(await eventually(async () => !(await hasWork(database)), 20_000)))
    throw new Error('Mail is still queued');
  return caught;
}
