/** Checks HTTP: the service itself, and the links in emails. */
import { isIP } from 'node:net';
import { ownAddress, ownUrl } from '../../app/own-address.ts';
import type { Database } from '../../db/database.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import { isLocalhost } from '../../net/guarded-lookup.ts';
import { askUrl, type Patience } from './ask-servers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { isPublic, type World } from './world.ts';

/** Checks that Posthorn is running on this machine and can accept mail. */
export async function checkService(world: World): Promise<Finding> {
  const port = world.config.httpPort;
  if (port === 0) {
    return warning(
      'POSTHORN_HTTP_PORT is 0, so each start uses a different port.',
      'Set POSTHORN_HTTP_PORT to a fixed port.',
    );
  }
  const url = new URL('/readyz', ownUrl({ ...world.config, baseUrl: null }, port));
  const response = await askUrl(url, ownAddress(world.config), world);
  if ('error' in response) {
    return problem(
      `Posthorn does not answer on port ${port} of this machine: ${response.error}.`,
      'Start Posthorn with the same POSTHORN_HTTP_PORT, then run the checks again.',
    );
  }
  const { status, detail } = { ...read(response.body) };
  if (response.status === 200 && status === 'ready')
    return ok(`Posthorn is running on port ${port} and can accept mail.`);
  return response.status === 503 && typeof detail === 'string'
    ? problem(`Posthorn is running on port ${port} but is not ready: ${detail}`, 'Check the Posthorn log.')
    : problem(
        `The program on port ${port} of this machine is not Posthorn.`,
        'Set another POSTHORN_HTTP_PORT, or stop the other program.',
      );
}

function read(body: string): { status?: unknown; detail?: unknown } | null {
  try {
    return JSON.parse(body) as { status?: unknown; detail?: unknown } | null;
  } catch {
    return null;
  }
}

/** The path of a tracking pixel. Any token works, because the pixel is the same for every token. */
const PIXEL_PATH = '/t/o/doctor';

/** Checks that recipients can reach the links in emails, for tracking and for unsubscribing. */
export async function checkBaseUrl(world: World): Promise<Finding> {
  const { baseUrl, httpPort, environment } = world.config;
  const isTracking = 'opened' in world.database && (await tracks(world.database.opened));
  const links = isTracking ? 'Links in tracked mail' : 'Unsubscribe links';
  const unreachable = isTracking ? problem : warning;
  const advice = 'Set POSTHORN_BASE_URL to the public https address of Posthorn.';
  if (baseUrl === null) {
    return unreachable(
      `POSTHORN_BASE_URL is not set. ${links} point to ${ownUrl(world.config, httpPort)}, which recipients cannot reach.`,
      advice,
    );
  }
  const url = new URL(baseUrl);
  const found = await addressesAt(world, url.hostname);
  if (found.outcome !== 'found') {
    const why =
      found.outcome === 'none' ? 'has no address in DNS' : `cannot be looked up in DNS: ${found.reason}`;
    return unreachable(`${links} point to ${baseUrl}, but ${url.hostname} ${why}.`, advice);
  }
  const [address = ''] = found.records.filter(isPublic);
  if (address === '') {
    return unreachable(
      `${links} point to ${baseUrl} at ${found.records.join(', ')}, which recipients cannot reach.`,
      advice,
    );
  }
  if (environment === 'production' && url.protocol === 'http:')
    return warning(
      `${links} point to ${baseUrl}, which is not https. Mail apps warn about such links.`,
      advice,
    );
  return loadPixel(world, baseUrl, address);
}

/** Loads the tracking pixel like a mail app. @param address an IP address of the URL's host */
export async function loadPixel(patience: Patience, baseUrl: string, address: string): Promise<Finding> {
  const response = await askUrl(new URL(`${baseUrl}${PIXEL_PATH}`), address, patience);
  if (!('error' in response) && response.status === 200 && response.headers['content-type'] === 'image/gif')
    return ok(`Links in emails point to ${baseUrl}, and Posthorn answers there.`);
  const seen =
    'error' in response
      ? response.error
      : `the response has status ${response.status} and is not from Posthorn`;
  return warning(
    `Links in emails point to ${baseUrl}${PIXEL_PATH.slice(0, 3)}..., but a request from this machine failed: ${seen}.`,
    'Forward the paths under /t/ in the proxy to POSTHORN_HTTP_PORT. Also try it from another machine, because some networks do not let a machine reach its own public address.',
  );
}

async function addressesAt({ dns }: World, host: string): Promise<DnsAnswer<string>> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { outcome: 'found', records: [literal] };
  return isLocalhost(host) ? { outcome: 'found', records: ['127.0.0.1'] } : dns.addresses(host);
}

/** Whether any project tracks mail. */
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
