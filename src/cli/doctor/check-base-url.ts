import { isIP } from 'node:net';
import type { Database } from '../../db/database.ts';
import { addressesOf, isPublic } from './addresses-of.ts';
import { askUrl } from './ask-url.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Any token does: the pixel is the same whatever stands there. */
const PIXEL_PATH = '/t/o/doctor';

/** Whether the links in emails, for tracking and for unsubscribing, lead to where recipients get an answer. */
export async function checkBaseUrl(world: World): Promise<Finding> {
  const { baseUrl, httpPort, environment } = world.config;
  const isTracking = 'opened' in world.database && (await tracks(world.database.opened));
  const links = isTracking ? 'Links in tracked mail' : 'Links to unsubscribe';
  const unreachable = isTracking ? problem : warning;
  const advice = 'Set POSTHORN_BASE_URL to the https address under which the world reaches Posthorn.';
  if (baseUrl === null) {
    return unreachable(
      `POSTHORN_BASE_URL is not set. ${links} lead to http://localhost:${httpPort}, which no recipient can load.`,
      advice,
    );
  }
  const url = new URL(baseUrl);
  const found = await addressesAt(world, url);
  if ('error' in found) return unreachable(`${links} lead to ${baseUrl}: ${found.error}.`, advice);
  const [address = ''] = found.addresses.filter(isPublic);
  if (address === '') {
    return unreachable(
      `${links} lead to ${baseUrl}, which is at ${found.addresses.join(', ')}: no recipient reaches that.`,
      advice,
    );
  }
  if (environment === 'production' && url.protocol === 'http:')
    return warning(`${links} lead to ${baseUrl}, which is not https: mail programs warn of it.`, advice);
  return loadPixel(world, baseUrl, address);
}

/** As a mail program does. @param address of the host of the URL */
export async function loadPixel(
  world: Pick<World, 'timeoutMs' | 'signal'>,
  baseUrl: string,
  address: string,
): Promise<Finding> {
  const answer = await askUrl(new URL(`${baseUrl}${PIXEL_PATH}`), address, world);
  if (!('error' in answer) && answer.status === 200 && answer.headers['content-type'] === 'image/gif')
    return ok(`Links in emails lead to ${baseUrl}, and Posthorn answers there.`);
  const seen = 'error' in answer ? answer.error : `the answer is ${answer.status}, and not Posthorn's`;
  return warning(
    `Links in emails lead to ${baseUrl}${PIXEL_PATH.slice(0, 3)}...; from this machine: ${seen}.`,
    'Have the proxy lead the paths below /t/ to POSTHORN_HTTP_PORT. Try it from another machine, too: some networks do not let a machine reach its own public address.',
  );
}

async function addressesAt(
  { dns }: World,
  { hostname }: URL,
): Promise<{ addresses: readonly string[] } | { error: string }> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return { addresses: [host] };
  if (host === 'localhost' || host.endsWith('.localhost')) return { addresses: ['127.0.0.1'] };
  const answer = await addressesOf(dns, host);
  if (answer.outcome === 'found') return { addresses: answer.records };
  return {
    error:
      answer.outcome === 'none'
        ? `${host} has no address in DNS`
        : `${host} cannot be looked up in DNS: ${answer.reason}`,
  };
}

/** Whether anything is tracked of any project's mail. */
async function tracks(database: Database): Promise<boolean> {
  const found = await Promise.all(
    (['projects', 'domains'] as const).map((table) =>
      database
        .selectFrom(table)
        .select('id')
        .where((where) => where.or([where('trackOpens', '=', true), where('trackClicks', '=', true)]))
        .limit(1)
        .execute(),
    ),
  );
  return found.flat().length > 0;
}
