/** What answers over HTTP: the service itself, and the links in emails. */
import { isIP } from 'node:net';
import { ownAddress, ownUrl } from '../../app/own-address.ts';
import type { Database } from '../../db/database.ts';
import type { DnsAnswer } from '../../net/dns.ts';
import { isLocalhost } from '../../net/guarded-lookup.ts';
import { askUrl, type Patience } from './ask-servers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { isPublic, type World } from './world.ts';

/** Whether Posthorn runs on this machine, and can take mail. */
export async function checkService(world: World): Promise<Finding> {
  const port = world.config.httpPort;
  if (port === 0) {
    return warning(
      'POSTHORN_HTTP_PORT is 0, so each start picks another port.',
      'Set it to a port of your choice.',
    );
  }
  const url = new URL('/readyz', ownUrl({ ...world.config, baseUrl: null }, port));
  const answer = await askUrl(url, ownAddress(world.config), world);
  if ('error' in answer) {
    return problem(
      `Posthorn does not answer at port ${port} of this machine: ${answer.error}.`,
      'Start Posthorn, with the same POSTHORN_HTTP_PORT, and run this again.',
    );
  }
  const { status, detail } = { ...read(answer.body) };
  if (answer.status === 200 && status === 'ready')
    return ok(`Posthorn runs at port ${port}, and can take mail.`);
  return answer.status === 503 && typeof detail === 'string'
    ? problem(`Posthorn runs at port ${port}, and is not ready: ${detail}`, 'See what its log says.')
    : problem(
        `What answers at port ${port} of this machine is not Posthorn.`,
        'Another program has the port: give Posthorn another POSTHORN_HTTP_PORT.',
      );
}

function read(body: string): { status?: unknown; detail?: unknown } | null {
  try {
    return JSON.parse(body) as { status?: unknown; detail?: unknown } | null;
  } catch {
    return null;
  }
}

/** Any token does: the pixel is the same for all of them. */
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
      `POSTHORN_BASE_URL is not set. ${links} lead to ${ownUrl(world.config, httpPort)}, which no recipient can load.`,
      advice,
    );
  }
  const url = new URL(baseUrl);
  const found = await addressesAt(world, url.hostname);
  if (found.outcome !== 'found') {
    const why =
      found.outcome === 'none' ? 'has no address in DNS' : `cannot be looked up in DNS: ${found.reason}`;
    return unreachable(`${links} lead to ${baseUrl}: ${url.hostname} ${why}.`, advice);
  }
  const [address = ''] = found.records.filter(isPublic);
  if (address === '') {
    return unreachable(
      `${links} lead to ${baseUrl}, which is at ${found.records.join(', ')}: no recipient reaches that.`,
      advice,
    );
  }
  if (environment === 'production' && url.protocol === 'http:')
    return warning(`${links} lead to ${baseUrl}, which is not https: mail programs warn of it.`, advice);
  return loadPixel(world, baseUrl, address);
}

/** Loads the tracking pixel as a mail program does. @param address of the URL's host */
export async function loadPixel(patience: Patience, baseUrl: string, address: string): Promise<Finding> {
  const answer = await askUrl(new URL(`${baseUrl}${PIXEL_PATH}`), address, patience);
  if (!('error' in answer) && answer.status === 200 && answer.headers['content-type'] === 'image/gif')
    return ok(`Links in emails lead to ${baseUrl}, and Posthorn answers there.`);
  const seen = 'error' in answer ? answer.error : `the answer is ${answer.status}, and not Posthorn's`;
  return warning(
    `Links in emails lead to ${baseUrl}${PIXEL_PATH.slice(0, 3)}...; from this machine: ${seen}.`,
    'Let the proxy forward the paths below /t/ to POSTHORN_HTTP_PORT. Try it from another machine, too: some networks do not let a machine reach its own public address.',
  );
}

async function addressesAt({ dns }: World, host: string): Promise<DnsAnswer<string>> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return { outcome: 'found', records: [literal] };
  return isLocalhost(host) ? { outcome: 'found', records: ['127.0.0.1'] } : dns.addresses(host);
}

/** Whether mail of any project is tracked. */
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
