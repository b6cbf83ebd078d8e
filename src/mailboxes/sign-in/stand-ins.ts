/**
 * Chooses which kind of hash a sign-in computes if the name has no mailbox, so that the time does not reveal whether a mailbox exists while
 * a domain has password hashes of other systems (docs/decisions/0130-password-hashes-of-other-systems.md).
 */
import { createHmac, type KeyObject } from 'node:crypto';
import { standInFor } from '../../accounts/passwords/imported-hash.ts';
import { MAX_REMEMBERED } from '../../accounts/passwords/limits.ts';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import type { Sealer } from '../../db/seal.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import type { UserName } from './find-accounts.ts';
import { TIMINGS } from './timings.ts';

/** A stand-in, and the share of the domain's mailboxes whose hashes take as long to check. */
interface Share {
  standIn: string;
  /** From 0 to 1. */
  share: number;
}

/** The number of random bits that decide for a name. */
const DRAWN_BYTES = 6;

export class StandIns {
  readonly #database: Database;
  readonly #unseal: () => Promise<Sealer>;
  #key: Promise<KeyObject> | null = null;
  readonly #shares = new BoundedMap<string, { shares: readonly Share[]; untilMs: number }>(MAX_REMEMBERED);

  /** @param unseal returns the sealer of the installation. Called once, for the first name on a domain with hashes of other systems */
  constructor(database: Database, unseal: () => Promise<Sealer>) {
    this.#database = database;
    this.#unseal = unseal;
  }

  /**
   * Draws for each name, in the proportion of the hashes that the mailboxes of its domain have. A name always gets the same result, unless
   * the proportion changes.
   * @returns one result per name, in the order of the names; null stands for our own hashes
   * @throws database errors
   */
  async of(names: readonly UserName[]): Promise<(string | null)[]> {
    const shares = await this.#sharesOf(names.map(({ domain }) => domain));
    if (shares.every((each) => each.length === 0)) return names.map(() => null);
    this.#key ??= this.#unseal().then((sealer) => sealer.deriveKey('stand-ins of password hashes'));
    const key = await this.#key;
    return names.map((name, at) => drawn(shares[at] ?? [], key, name));
  }

  async #sharesOf(domains: readonly string[]): Promise<(readonly Share[])[]> {
    const nowMs = performance.now();
    const isCached = (domain: string) => (this.#shares.get(domain)?.untilMs ?? 0) > nowMs;
    const queried = [...new Set(domains)].filter((domain) => !isCached(domain));
    if (queried.length > 0) {
      const read = await readShares(this.#database, queried);
      const untilMs = performance.now() + TIMINGS.standInsMs;
      for (const domain of queried) this.#shares.set(domain, { shares: read.get(domain) ?? [], untilMs });
    }
    return domains.map((domain) => this.#shares.get(domain)?.shares ?? []);
  }
}

function drawn(
  shares: readonly Share[],
  key: KeyObject,
  { domain, key: localPart }: UserName,
): string | null {
  if (shares.length === 0) return null;
  const bytes = createHmac('sha256', key)
    .update(JSON.stringify([domain, localPart]))
    .digest();
  let rest = bytes.readUIntBE(0, DRAWN_BYTES) / 256 ** DRAWN_BYTES;
  for (const { standIn, share } of shares) {
    if (rest < share) return standIn;
    rest -= share;
  }
  return null;
}

const DOMAINS = rowsOf<string>('a', { domain: ['text', (domain) => domain] });
const COUNTED = columnsOf({ domain: 'text', sample: 'text', imported: 'int4', total: 'int4' });

/**
 * Counts the hashes of other systems by kind, cost and length (the length of the salt affects the time). Counts only the mailboxes of the
 * claim that signs in. Attack: a project claims the domain too, and creates mailboxes that change the proportion.
 */
async function readShares(
  database: Database,
  domains: readonly string[],
): Promise<Map<string, readonly Share[]>> {
  const { rows } = await COUNTED.sql`
    select a.domain, h.sample, h.imported,
      (select count(*) from mailboxes t where t.domain_id = d.id and t.password_hash is not null)::int as total
    from ${DOMAINS.from(domains)}
    cross join lateral (
      select id from domains where name = a.domain
      order by project_id = ${HOSTED_PROJECT_ID}::uuid or status in ('verified', 'warning') desc, created_at, id limit 1
    ) d
    cross join lateral (
      select min(m.password_hash) as sample, count(*)::int as imported,
        substring(m.password_hash from '^[{][A-Z0-9-]+[}][$](?:2[aby][$][0-9]+|[56](?:[$]rounds=[0-9]+)?|argon2id[$]v=19[$][^$]+)') as cost
      from mailboxes m where m.domain_id = d.id and m.password_hash like '{%'
      group by cost, length(m.password_hash)
    ) h
    order by a.domain, h.cost, length(h.sample)`.execute(database);
  const ofEach = Map.groupBy(rows, ({ domain }) => domain);
  return new Map(
    Array.from(ofEach, ([domain, counted]) => [
      domain,
      counted.map(({ sample, imported, total }) => ({
        standIn: standInFor(sample),
        share: imported / total,
      })),
    ]),
  );
}
