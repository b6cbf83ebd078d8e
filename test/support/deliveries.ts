/** Starts a worker's delivery with any provider and queues mail from senders with verified domains. */
import { pino } from 'pino';
import type { Database } from '../../src/db/database.ts';
import type { Sealer } from '../../src/db/seal.ts';
import { createKey } from '../../src/domains/dkim-key.ts';
import { DkimKeyring } from '../../src/domains/dkim-keyring.ts';
import { newUuid } from '../../src/model/ids.ts';
import { endLease } from '../../src/queue/end-lease.ts';
import { PausedDestinations } from '../../src/queue/paused-destinations.ts';
import { Lease } from '../../src/queue/lease.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { Delivery, type DeliveryOptions } from '../../src/sending/deliver/delivery.ts';
import type { Provider } from '../../src/sending/deliver/provider.ts';
import { composingAll } from './composing.ts';
import { newEmail } from './emails.ts';
import { newDomain, newProject } from './projects.ts';

const STOP_MS = 200;

interface Sealed {
  database: Database;
  sealer: Sealer;
}

export type TestDelivery = AsyncDisposable & { delivery: Delivery };

/** Options with a short interval, so that a worker polls due destinations without a long wait. */
export const OFTEN = { timings: { scanMs: 50 } };

/** Starts a delivery under a new lease. Disposing of the delivery stops it and ends the lease. */
export async function startDelivery(
  { database, sealer }: Sealed,
  provider: Provider,
  {
    pausedDestinations = new PausedDestinations(database),
    hostedDomain = 'posthorn.localhost',
    timings,
  }: Partial<Pick<DeliveryOptions, 'pausedDestinations' | 'timings'>> & { hostedDomain?: string } = {},
): Promise<TestDelivery> {
  const lease = await Lease.begin(database, newUuid(), 'test');
  const delivery = new Delivery({
    database,
    lease,
    pausedDestinations,
    logger: pino({ enabled: false }),
    composing: composingAll(database, sealer, new DkimKeyring(database, sealer, hostedDomain)),
    onEvents: () => {},
    onDoubt: () => {},
    timings,
    provider,
  });
  return {
    delivery,
    async [Symbol.asyncDispose]() {
      await delivery.stop(STOP_MS);
      await endLease(database, lease.leaseId, 'retired', async () => {});
      lease.stop();
    },
  };
}

export type Mail = [senderDomain: string, address: string, emailId?: string];

/** Queues emails. Each sender domain belongs to a separate project. */
export class VerifiedSenders {
  readonly #db: Sealed;
  readonly #projects = new Map<string, Promise<string>>();

  constructor(db: Sealed) {
    this.#db = db;
  }

  async queue(...mail: Mail[]): Promise<void> {
    const emails = mail.map(async ([domain, address, emailId = newUuid()]) => {
      const projectId = await this.#projectOf(domain);
      return newEmail({
        projectId,
        emailId,
        sender: `hello@${domain}`,
        to: [address],
        recipients: [address],
      });
    });
    await insertEmails(this.#db.database, await Promise.all(emails));
  }

  #projectOf(domain: string): Promise<string> {
    const project = this.#projects.get(domain) ?? this.#newProject(domain);
    this.#projects.set(domain, project);
    return project;
  }

  async #newProject(domain: string): Promise<string> {
    const { database, sealer } = this.#db;
    const projectId = await newProject(database);
    const verifiedAt = new Date();
    const domainId = await newDomain(database, projectId, domain, { status: 'verified', verifiedAt });
    const key = await createKey(sealer, { projectId, domainId, selector: 'test' }, 'ed25519-sha256');
    await database.insertInto('dkimKeys').values(key).execute();
    return projectId;
  }
}

/** The sender domain of a return path. */
export function senderOf(mailFrom: string): string {
  return mailFrom.slice(mailFrom.indexOf('.', mailFrom.lastIndexOf('@')) + 1);
}
