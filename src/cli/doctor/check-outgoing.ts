import { isIP } from 'node:net';
import { findRoute } from '../../sending/deliver/direct/route.ts';
import type { SmtpReply } from '../../rfc/smtp/reply.ts';
import { addressesOf, isPublic } from './addresses-of.ts';
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
  if (greetings.some(({ code }) => code === 220)) {
    const seenAs = greetings.flatMap((greeting) => greeting.seenAs ?? []);
    return (await judgeAddress(world, seenAs)) ?? ok(`${texts}.`);
  }
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

/**
 * Behind NAT only the far side knows which address mail leaves from.
 * @param seenAs what it says that this machine has
 */
async function judgeAddress({ dns, config }: World, seenAs: readonly string[]): Promise<Finding | null> {
  const { hostname } = config;
  const answer = await addressesOf(dns, hostname);
  const named = answer.outcome === 'found' ? answer.records : [];
  const other = seenAs.find((address) => isPublic(address) && !named.includes(address));
  if (other === undefined || named.length === 0) return null;
  return problem(
    `Others see this machine at ${other}, and ${hostname} has ${named.join(', ')}: mail that leaves from here fails SPF.`,
    `Publish ${other} as an address of ${hostname}, and have the PTR record of ${other} name it; or lead outgoing mail through the address that ${hostname} has.`,
  );
}

interface Heard {
  /** Of the greeting; null: there was none. */
  code: number | null;
  text: string;
  /** The address of this machine, where the answer to EHLO has it. */
  seenAs: string | null;
}

async function greetingOf(world: World, host: string, port: number): Promise<Heard> {
  const answer = await addressesOf(world.dns, host);
  const [address] = answer.outcome === 'found' ? answer.records : [];
  if (address === undefined) return { code: null, text: `${host} has no address in DNS`, seenAs: null };
  const greeting = await readGreeting(address, port, world);
  const at = `${host} (${address}), port ${port}`;
  if ('error' in greeting) return { code: null, text: `${at}: ${greeting.error}`, seenAs: null };
  const { code } = greeting.reply;
  return { code, text: `${at}: ${code} ${greeting.text}`, seenAs: clientIn(greeting.ehlo) };
}

/** Many servers greet with the client's address: "mx.example at your service, [192.0.2.1]". */
function clientIn(reply: SmtpReply | null): string | null {
  const [, address = ''] = /\[(?:IPv6:)?([0-9a-f.:]{3,45})\]/i.exec(reply?.lines[0] ?? '') ?? [];
  return isIP(address) === 0 ? null : address.toLowerCase();
}
