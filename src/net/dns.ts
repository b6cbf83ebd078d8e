/** Look-ups in DNS whose outcome is a value: what was found, that there is nothing, or that nobody could tell. */
import { Resolver } from 'node:dns/promises';

const TRY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** With several servers the tries multiply: by then whoever asked has waited long enough. */
const LOOK_UP_TIMEOUT_MS = 5_000;
/** A name on the wire is at most 255 octets (RFC 1035, section 2.3.4); without length octets and root that is 253. */
const MAX_NAME = 253;

export type DnsAnswer<T> =
  | { outcome: 'found'; records: readonly T[] }
  /** The name does not exist, or has no record of the type. */
  | { outcome: 'none' }
  /** Nobody could tell: a time-out, a failing or refusing server. */
  | { outcome: 'failed'; reason: string };

export interface MxRecord {
  priority: number;
  /** Lower case, without a trailing dot; empty where the domain takes no mail (RFC 7505). */
  exchange: string;
}

const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA']);

export class DnsResolver {
  readonly #resolver = new Resolver({
    timeout: TRY_TIMEOUT_MS,
    maxTimeout: TRY_TIMEOUT_MS,
    tries: TRIES,
  });

  /** @param server `ip:port` of the one that is asked; null: those of the system */
  constructor(server: string | null) {
    if (server !== null) this.#resolver.setServers([server]);
  }

  /** The strings of a record are joined, as SPF, DKIM and DMARC read them (RFC 7208, section 3.3). */
  txt(name: string): Promise<DnsAnswer<string>> {
    return lookUp(name, async () => (await this.#resolver.resolveTxt(name)).map((parts) => parts.join('')));
  }

  mx(name: string): Promise<DnsAnswer<MxRecord>> {
    return lookUp(name, async () =>
      (await this.#resolver.resolveMx(name)).map(({ priority, exchange }) => ({
        priority,
        exchange: exchange.toLowerCase().replace(/\.$/, ''),
      })),
    );
  }
}

async function lookUp<T>(name: string, ask: () => Promise<T[]>): Promise<DnsAnswer<T>> {
  if (name.length > MAX_NAME) return { outcome: 'none' };
  const late = Promise.withResolvers<DnsAnswer<T>>();
  const timer = setTimeout(
    () => late.resolve({ outcome: 'failed', reason: 'no answer' }),
    LOOK_UP_TIMEOUT_MS,
  );
  const asked = ask().then(
    (records): DnsAnswer<T> => (records.length === 0 ? { outcome: 'none' } : { outcome: 'found', records }),
    (error: unknown): DnsAnswer<T> => failure(error),
  );
  try {
    return await Promise.race([asked, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function failure(error: unknown): DnsAnswer<never> {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') throw error;
  if (NOTHING_THERE.has(code)) return { outcome: 'none' };
  return { outcome: 'failed', reason: code === 'ETIMEOUT' ? 'no answer' : code.replace(/^E/, '') };
}
