import { addressesOf, isPublic } from './addresses-of.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Of a name with more addresses, the first. */
const MAX_ADDRESSES = 4;

/** Whether each address of POSTHORN_HOSTNAME has a PTR record that leads back to the name. */
export async function checkReverseName(world: World): Promise<Finding> {
  const { hostname } = world.config;
  const answer = await addressesOf(world.dns, hostname);
  const addresses = answer.outcome === 'found' ? answer.records.filter(isPublic) : [];
  if (addresses.length === 0) {
    return problem(
      `${hostname} has no public address in DNS, so there is no PTR record to look for.`,
      'Put the name right first: see the check of the host name.',
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

async function checkAddress({ config, dns, reverse }: World, address: string): Promise<Finding> {
  const { hostname } = config;
  const setIt = `Set the PTR record of ${address} to ${hostname}, where you rent the address.`;
  const answer = await reverse(address);
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
  const back = await addressesOf(dns, other);
  return back.outcome === 'found' && back.records.includes(address)
    ? warning(`The PTR record of ${address} names ${other}, and not ${hostname}.`, setIt)
    : problem(`The PTR record of ${address} names ${other}, which does not lead back to it.`, setIt);
}
