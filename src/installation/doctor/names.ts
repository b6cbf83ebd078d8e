/** Names in DNS: the resolver, the name of this machine, and the hosted domain. */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readClaims } from '../../domains/claim.ts';
import { type ExpectedRecord, expectedRecords } from '../../domains/expected-records.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { isPublic, type World } from './world.ts';
import { findWrongRecords } from './wrong-records.ts';

/** Whether the resolver answers, and says that a made-up name does not exist. */
export async function checkResolver({ config, dns, probeDomain }: World): Promise<Finding> {
  const resolver = config.dns === null ? "The system's DNS resolver" : `The DNS resolver ${config.dns}`;
  const other = 'Set POSTHORN_DNS to a resolver that you trust, such as one of your own on this machine.';
  const madeUp = `x${randomBytes(8).toString('hex')}.${probeDomain}`;
  const [real, none] = await Promise.all([dns.mx(probeDomain), dns.a(madeUp)]);
  if (real.outcome === 'failed') {
    return problem(`${resolver} does not answer for ${probeDomain}: ${real.reason}.`, other);
  }
  if (real.outcome === 'none') {
    return problem(`${resolver} finds no MX record of ${probeDomain}.`, other);
  }
  if (none.outcome === 'found') {
    return problem(
      `${resolver} gives the address ${none.records[0] ?? ''} to a name that does not exist: mail to mistyped domains goes there.`,
      other,
    );
  }
  if (none.outcome === 'failed' || none.nameExists) {
    return warning(
      `${resolver} does not say that a made-up name does not exist: mail to mistyped domains bounces late.`,
      other,
    );
  }
  return ok(`${resolver} answers.`);
}

const RECORD_TYPES = { 4: 'A', 6: 'AAAA' } as const;

/** Whether POSTHORN_HOSTNAME is a name in DNS that leads to this machine, as far as this machine can tell. */
export async function checkHostname(world: World): Promise<Finding> {
  const { config, dns } = world;
  const { hostname, environment } = config;
  if (!hostname.includes('.')) {
    return problem(
      `POSTHORN_HOSTNAME is ${hostname}, which has no dot: it is not a name in DNS.`,
      'Set POSTHORN_HOSTNAME to the full name of this machine, such as mail.acme.example.',
    );
  }
  const publish = `Publish an A record for ${hostname} with the public address of this machine, or set POSTHORN_HOSTNAME to a name that has one.`;
  const answer = await dns.addresses(hostname);
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

/** The PTR records of a name's first addresses are enough. */
const MAX_ADDRESSES = 4;

/** Whether each address of POSTHORN_HOSTNAME has a PTR record that leads back to the name. */
export async function checkReverseName(world: World): Promise<Finding> {
  const { hostname } = world.config;
  const answer = await world.dns.addresses(hostname);
  const addresses = answer.outcome === 'found' ? answer.records.filter(isPublic) : [];
  if (addresses.length === 0) {
    return problem(
      `${hostname} has no public address in DNS, so there is no PTR record to look for.`,
      'Correct the name first: see the check "hostname".',
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
  const setIt = `Set the PTR record of ${address} to ${hostname}, where you rent the address.`;
  const answer = await dns.ptr(reverseName(address));
  if (answer.outcome === 'failed') {
    return warning(
      `The PTR record of ${address} cannot be looked up: ${answer.reason}.`,
      'Run the check again; if it stays so, ask whoever you rent the address from.',
    );
  }
  const [other] = answer.outcome === 'found' ? answer.records : [];
  if (answer.outcome === 'none' || other === undefined) {
    return problem(`${address} has no PTR record: many servers refuse its mail.`, setIt);
  }
  if (answer.records.includes(hostname)) return ok(`The PTR record of ${address} names ${hostname}.`);
  const back = await dns.addresses(other);
  return back.outcome === 'found' && back.records.includes(address)
    ? warning(`The PTR record of ${address} names ${other}, and not ${hostname}.`, setIt)
    : problem(`The PTR record of ${address} names ${other}, which does not lead back to it.`, setIt);
}

/** RFC 1035, section 3.5; RFC 3596, section 2.5. */
function reverseName(address: string): string {
  const octets = ipaddr.parse(address).toByteArray();
  if (octets.length === 4) return `${octets.toReversed().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15].map((nibble) => nibble.toString(16)));
  return `${nibbles.toReversed().join('.')}.ip6.arpa`;
}

/** Whether the records that let every project send from the hosted domain are published. */
export async function checkHostedDomain({ config, database }: World): Promise<Finding> {
  const { hostedDomain, hostname } = config;
  if (hostedDomain === 'localhost' || hostedDomain.endsWith('.localhost')) {
    return warning(
      `The hosted domain is ${hostedDomain}: nobody outside takes mail from it.`,
      'Set POSTHORN_HOSTED_DOMAIN to a domain of yours, or send only from domains that projects have added.',
    );
  }
  if ('error' in database) {
    return problem(
      `The keys of ${hostedDomain} are in the database, which cannot be read.`,
      'Put the database right first: see the check "database".',
    );
  }
  const claims = await readClaims(database.opened, HOSTED_PROJECT_ID, hostedDomain);
  const keys = claims.find(({ name }) => name === hostedDomain)?.keys ?? [];
  if (keys.length === 0) {
    return problem(
      `The hosted domain ${hostedDomain} has no keys yet.`,
      'Run "posthorn domain hosted": it makes them, and prints the records to publish.',
    );
  }
  return look(config, expectedRecords(hostedDomain, keys, hostname));
}

async function look(config: World['config'], records: readonly ExpectedRecord[]): Promise<Finding> {
  const wrong = await findWrongRecords(config, config.hostedDomain, records);
  if (wrong.length === 0) return ok(`The ${records.length} records of ${config.hostedDomain} are published.`);
  const seen = wrong.map(({ error }) => error).join(' ');
  const advice = 'Publish what "posthorn domain hosted" prints.';
  return wrong.some(({ required, isMissing }) => required && isMissing)
    ? problem(seen, advice)
    : warning(seen, advice);
}
