/** Delivers all mail that is queued, with the real mailboxes of the installation, and keeps what reaches a mailbox here or leaves. */
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
  /** The recipient. */
  to: string;
  text: string;
  /** Whether it was filed in a mailbox here: its owner, forwarding, app passwords and exports have it from there. */
  isInside: boolean;
}

/** Links of the dashboard in a mail, by what is behind the #. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(/\/dashboard\/(?:reset|invitation)#([\w-]+)/g)].map(([, token = '']) => token);
}

export async function catchMail(
  { database, sealer }: Pick<TestDatabase, 'database'> & { sealer: Sealer },
  hostedDomain: string,
): Promise<CaughtMail[]> {
  const caught: CaughtMail[] = [];
  const catching = (to: string, data: Buffer, isInside: boolean): void => {
    caught.push({ to, text: data.toString('utf8').replaceAll('=\r\n', ''), isInside });
  };
  const outside: Provider = {
    capacity: 20,
    isFinal: true,
    destinations: null,
    async send(message) {
      message.mayCommit();
      catching(message.rcptTo, message.data, false);
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
    mxWatch: { current: (_, known) => known, ours: ['mx.test'] },
    filer: async () => ({
      async file({ raw }, deliveries) {
        for (const { address } of deliveries) catching(address, raw, true);
        return 'accepted';
      },
    }),
  });
  const provider = new InsideProvider(outside, mailboxes, 'mx.test', ({ emailId, rcptTo }) =>
    judgeAccountLink(database, emailId, rcptTo),
  );
  await using _ = await startDelivery({ database, sealer }, provider, { hostedDomain });
  if (!(await eventually(async () => !(await hasWork(database)), 20_000)))
    throw new Error('mail is still queued');
  return caught;
}
