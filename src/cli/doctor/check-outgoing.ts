import { findRoute } from '../../mail/deliver/direct/route.ts';
import { addressesOf } from './addresses-of.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { readGreeting } from './read-greeting.ts';
import type { World } from './world.ts';

/** One that is away is its domain's trouble; several are ours. */
const MAX_HOSTS = 3;

/** Whether the mail hosts of a domain of others can be reached, and take this machine for a mail server. */
export async function checkOutgoing(world: World): Promise<Finding> {
  const { config, dns, probeDomain } = world;
  const port = config.mxPort;
  const route = await findRoute(probeDomain, dns, config.hostname);
  if (route.outcome !== 'hosts') {
    return problem(
      `${route.text}.`,
      'See the check of the DNS resolver, or name another domain with --probe-domain.',
    );
  }
  const hosts = route.groups.flat().slice(0, MAX_HOSTS);
  const greetings = await Promise.all(hosts.map((host) => greetingOf(world, host, port)));
  const texts = greetings.map(({ text }) => text).join('; ');
  if (greetings.some(({ code }) => code === 220)) return ok(`${texts}.`);
  if (greetings.every(({ code }) => code === null)) {
    return problem(
      `${texts}.`,
      `Outgoing connections to port ${port} are blocked: open them in the firewall, and ask whoever you rent the machine from. Many do not open the port until you ask.`,
    );
  }
  return warning(
    `${texts}.`,
    'The server does not want to talk to this machine. See what it says: often the PTR record, or a blocklist that has the address.',
  );
}

/** @returns code: of the greeting; null: there was none */
async function greetingOf(
  world: World,
  host: string,
  port: number,
): Promise<{ code: number | null; text: string }> {
  const answer = await addressesOf(world.dns, host);
  const [address] = answer.outcome === 'found' ? answer.records : [];
  if (address === undefined) return { code: null, text: `${host} has no address in DNS` };
  const greeting = await readGreeting(address, port, world);
  const at = `${host} (${address}), port ${port}`;
  if ('error' in greeting) return { code: null, text: `${at}: ${greeting.error}` };
  const { code } = greeting.reply;
  return { code, text: `${at}: ${code} ${greeting.text}` };
}
