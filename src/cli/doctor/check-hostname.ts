import { isIP } from 'node:net';
import { addressesOf, isPublic } from './addresses-of.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const RECORD_TYPES = { 4: 'A', 6: 'AAAA' } as const;

/** Whether POSTHORN_HOSTNAME is a name in DNS that leads to this machine, as far as this machine can tell. */
export async function checkHostname(world: World): Promise<Finding> {
  const { config, dns } = world;
  const { hostname, environment } = config;
  if (!hostname.includes('.')) {
    return problem(
      `POSTHORN_HOSTNAME is ${hostname}, which has no dot: it is no name in DNS.`,
      'Set POSTHORN_HOSTNAME to the full name of this machine, such as mail.acme.example.',
    );
  }
  const publish = `Publish an A record for ${hostname} with the public address of this machine, or set POSTHORN_HOSTNAME to a name that has one.`;
  const answer = await addressesOf(dns, hostname);
  if (answer.outcome === 'failed') {
    return problem(
      `${hostname} cannot be looked up in DNS: ${answer.reason}.`,
      'See whether the DNS resolver works, and whether the name servers of the domain do.',
    );
  }
  if (answer.outcome === 'none') return problem(`${hostname} has no address in DNS.`, publish);
  const hidden = answer.records.filter((address) => !isPublic(address));
  if (hidden.length > 0) {
    const seen = `${hostname} has the address ${hidden.join(', ')}, which is not public: nobody outside reaches it.`;
    return environment === 'production' ? problem(seen, publish) : warning(seen, publish);
  }
  const alias = await dns.cname(hostname);
  const finding = compare(world, answer.records);
  if (finding.verdict !== 'ok' || alias.outcome !== 'found') return finding;
  return warning(
    `${hostname} is an alias (CNAME) of another name: MX records may not lead to an alias (RFC 2181, section 10.3).`,
    `Publish the addresses of ${hostname} themselves, in place of the CNAME record.`,
  );
}

/** @param named the public addresses of the name */
function compare({ config, ownAddresses }: World, named: readonly string[]): Finding {
  const { hostname, provider } = config;
  const own = ownAddresses().filter(isPublic);
  for (const family of [4, 6] as const) {
    const [ofMachine, ofName] = [own, named].map((list) => list.filter((item) => isIP(item) === family));
    if (ofMachine === undefined || ofName === undefined || ofMachine.length === 0) continue;
    if (ofName.some((address) => ofMachine.includes(address))) continue;
    if (ofName.length === 0 && provider !== 'direct') continue;
    return problem(
      `This machine has the public address ${ofMachine.join(', ')}, and ${hostname} has ${named.join(', ')}.`,
      `Publish an ${RECORD_TYPES[family]} record for ${hostname} with the address of this machine, or take the address away from the machine: mail that leaves from it fails SPF.`,
    );
  }
  const addresses = `${hostname} has the address ${named.join(', ')}`;
  return own.length > 0
    ? ok(`${addresses}, which this machine has too.`)
    : ok(`${addresses}. Whether it is this machine's cannot be told: its own addresses are all private.`);
}
