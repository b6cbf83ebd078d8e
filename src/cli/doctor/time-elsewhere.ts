import { addressesOf } from './addresses-of.ts';
import { askUrl } from './ask-url.ts';
import type { World } from './world.ts';

/** Between which two moments the clock of a web server was, in milliseconds of Unix time. */
export interface TimeElsewhere {
  readonly fromMs: number;
  readonly toMs: number;
}

const SECOND_MS = 1_000;

/**
 * The `Date` of an answer (RFC 9110, section 6.6.1), which is cut to seconds. The certificate is not looked at: a clock that
 * is wrong makes good ones look bad, and whoever lies here gains a warning.
 * @returns null where there is no answer, or none with a date
 */
export async function timeElsewhere(
  url: URL,
  world: Pick<World, 'dns' | 'timeoutMs' | 'signal'>,
): Promise<TimeElsewhere | null> {
  const found = await addressesOf(world.dns, url.hostname);
  const [address] = found.outcome === 'found' ? found.records : [];
  if (address === undefined) return null;
  const answer = await askUrl(url, address, world, false);
  const fromMs = 'error' in answer ? Number.NaN : Date.parse(answer.headers.date ?? '');
  return Number.isNaN(fromMs) ? null : { fromMs, toMs: fromMs + SECOND_MS };
}
