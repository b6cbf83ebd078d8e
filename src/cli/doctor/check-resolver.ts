import { randomBytes } from 'node:crypto';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether the resolver answers, and says of a name that does not exist that it does not. */
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
      `${resolver} does not say of a name that does not exist that it does not: mail to mistyped domains bounces late.`,
      other,
    );
  }
  return ok(`${resolver} answers.`);
}
