/** Checks DNS: the resolver, the name of this machine, and the hosted domain. */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readClaims } from '../../domains/claim.ts';
import { type ExpectedRecord, expectedRecords } from '../../domains/expected-records.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { isPublic, type World } from './world.ts';
import { findWrongRecords } from './wrong-records.ts';

/** Checks that the resolver responds, and that it reports a made-up name as not existing. */
export async function checkResolver({ config, dns, probeDomain }: World): Promise<Finding> {
  const resolver = config.dns === null ? "The system's DNS resolver" : `The DNS resolver ${config.dns}`;
  const other = 'Set POSTHORN_DNS to a resolver that you trust, such as your own one on this machine.';
  const madeUp = `x${randomBytes(8).toString('hex')}.${probeDomain}`;
  const [real, none] = await Promise.all([dns.mx(probeDomain), dns.a(madeUp)]);
  if (real.outcome === 'failed') {
    return problem(`${resolver} does not answer for ${probeDomain}: ${real.reason}.`, other);
  }
  if (real.outcome === 'none') {
    return problem(`${resolver} finds no MX record for ${probeDomain}.`, other);
  }
  if (none.outcome === 'found') {
    return problem(
      `${resolver} returns the address ${none.records[0] ?? ''} for a name that does not exist, so mail to mistyped domains is sent there.`,
      other,
    );
  }
  if (none.outcome === 'failed' || none.nameExists) {
    return warning(
      `${resolver} does not report that a made-up name does not exist, so mail to mistyped domains bounces late.`,
      other,
    );
  }
  return ok(`${resolver} answers.`);
}

const RECORD_TYPES = { 4: 'A', 6: 'AAAA' } as const;

/** Checks that POSTHORN_HOSTNAME resolves to this machine, as far as the addresses of this machine are known. */
export async function checkHostname(world: World): Promise<Finding> {
  const { config, dns } = world;
  const { hostname, environment } = config;
  if (!hostname.includes('.')) {
    return problem(
      `POSTHORN_HOSTNAME is ${hostname}, which has no dot, so it is not a name in DNS.`,
      'Set POSTHORN_HOSTNAME to the full name of this machine, such as mail.acme.example.',
    );
  }
  const publish = `Publish an A record for ${hostname} with the public address of this machine, or set POSTHORN_HOSTNAME to a name that has one.`;
  const lookup = await dns.addresses(hostname);
  if (lookup.outcome === 'failed') {
    return problem(
      `${hostname} cannot be looked up in DNS: ${lookup.reason}.`,
      'Check that the DNS resolver and the name servers of the domain work.',
    );
  }
  if (lookup.outcome === 'none') return problem(`${hostname} has no address in DNS.`, publish);
  const hidden = lookup.records.filter((address) => !isPublic(address));
  if (hidden.length > 0) {
    const seen = `${hostname} has the address ${hidden.join(', ')}, which is not public and cannot be reached from the internet.`;
    return environment === 'production' ? problem(seen, publish) : warning(seen, publish);
  }
  const alias = await dns.cname(hostname);
  const finding = compare(world, lookup.records);
  if (finding.verdict !== 'ok' || alias.outcome !== 'found') return finding;
  return warning(
    `${hostname} is an alias (CNAME) of another name. MX records may not point to an alias (RFC 2181, section 10.3).`,
    `Publish the addresses of ${hostname} directly, instead of the CNAME record.`,
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
      `This machine has the public address ${ofMachine.join(', ')}, but the address of ${hostname} is ${named.join(', ')}. Mail sent from this machine fails SPF.`,
      `Publish an ${RECORD_TYPES[family]} record for ${hostname} with the address of this machine, or remove the address from the machine.`,
    );
  }
  const addresses = `${hostname} has the address ${named.join(', ')}`;
  return own.length > 0
    ? ok(`${addresses}, which this machine has too.`)
    : ok(
        `${addresses}. Whether it leads to this machine is unknown, because the addresses of the machine are all private.`,
      );
}

/** Maximum number of addresses that are checked. */
const MAX_ADDRESSES = 4;

/** Checks that each address of POSTHORN_HOSTNAME has a PTR record that points back to the name. */
export async function checkReverseName(world: World): Promise<Finding> {
  const { hostname } = world.config;
  const lookup = await world.dns.addresses(hostname);
  const addresses = lookup.outcome === 'found' ? lookup.records.filter(isPublic) : [];
  if (addresses.length === 0) {
    return problem(
      `${hostname} has no public address in DNS, so there is no PTR record to check.`,
      'Fix the name first: see the check "hostname".',
    );
  }
  const findings = await Promise.all(
    addresses.slice(0, MAX_ADDRESSES).map((address) => checkAddress(world, address)),
  );
  return (
    findings.find(({ verdict }) => verdict === 'problem') ??
    findings.find(({ verdict }) => verdict === 'warning') ??
    ok(findings.map(({ seen }) => seen).join(' '))
  );
}

async function checkAddress({ config, dns }: World, address: string): Promise<Finding> {
  const { hostname } = config;
  const setIt = `Set the PTR record of ${address} to ${hostname} at the provider of the address.`;
  const lookup = await dns.ptr(reverseName(address));
  if (lookup.outcome === 'failed') {
    return warning(
      `The PTR record of ${address} cannot be looked up: ${lookup.reason}.`,
      'Run the check again. If it keeps failing, ask the provider of the address.',
    );
  }
  const [other] = lookup.outcome === 'found' ? lookup.records : [];
  if (lookup.outcome === 'none' || other === undefined) {
    return problem(`${address} has no PTR record, so many servers reject its mail.`, setIt);
  }
  if (lookup.records.includes(hostname)) return ok(`The PTR record of ${address} names ${hostname}.`);
  const back = await dns.addresses(other);
  return back.outcome === 'found' && back.records.includes(address)
    ? warning(`The PTR record of ${address} names ${other}, not ${hostname}.`, setIt)
    : problem(`The PTR record of ${address} names ${other}, which does not resolve to that address.`, setIt);
}

/** The name of an address's PTR record (RFC 1035, section 3.5; RFC 3596, section 2.5). */
function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray();
  if (octets.length === 4) return `${octets.toReversed().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15].map((nibble) => nibble.toString(16)));
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}

/** Checks that the records of the hosted domain, from which every project can send, are published. */
export async function checkHostedDomain({ config, database }: World): Promise<Finding> {
  const { hostedDomain, hostname } = config;
  if (hostedDomain === 'localhost' || hostedDomain.endsWith('.localhost')) {
    return warning(
      `The hosted domain is ${hostedDomain}. Other servers do not accept mail from it.`,
      'Set POSTHORN_HOSTED_DOMAIN to a domain of yours, or send only from domains that projects have added.',
    );
  }
  if ('error' in database) {
    return problem(
      `The DKIM keys of ${hostedDomain} cannot be read, because the database is not available.`,
      'Fix the database first: see the check "database".',
    );
  }
  const claims = await readClaims(database.opened, HOSTED_PROJECT_ID, hostedDomain);
  const keys = claims.find(({ name }) => name === hostedDomain)?.keys ?? [];
  if (keys.length === 0) {
    return problem(
      `The hosted domain ${hostedDomain} has no keys yet.`,
      'Run "posthorn domain hosted", which creates them and prints the records to publish.',
    );
  }
  return checkPublished(config, expectedRecords(hostedDomain, keys, hostname));
}

async function checkPublished(config: World['config'], records: readonly ExpectedRecord[]): Promise<Finding> {
  const wrong = await findWrongRecords(config, config.hostedDomain, records);
  if (wrong.length === 0) return ok(`The ${records.length} records of ${config.hostedDomain} are published.`);
  const seen = wrong.map(({ error }) => error).join(' ');
  const advice = 'Publish the records that "posthorn domain hosted" prints.';
  return wrong.some(({ required, isMissing }) => required && isMissing)
    ? problem(seen, advice)
    : warning(seen, advice);
}
