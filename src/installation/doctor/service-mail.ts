/** Checks that the service can send its own mail: links to reset passwords, and invitations. */
import { type DomainClaim, readClaims, recordsOf } from '../../domains/claim.ts';
import type { ExpectedRecord } from '../../domains/expected-records.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { trustsManualVerification } from '../../domains/sending-domains.ts';
import { readServiceMailDomain } from '../../domains/service-domain.ts';
import { readServiceMailState, type ServiceMailState } from '../../domains/service-mail-state.ts';
import { senderOf } from '../../sending/service-mail/service-mail.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';
import { findWrongRecords, type WrongRecord } from './wrong-records.ts';

const STOPPED =
  'Service mail is not sent: users get no links to reset their password, and no invitations by mail.';

type OpenWorld = Pick<World, 'config'> & { database: Extract<World['database'], { opened: unknown }> };

/** Checks the domain from which the running servers send, and the domain of POSTHORN_MAIL_FROM in this environment. */
export async function checkServiceMail({ config, database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'The domain of service mail cannot be checked without the database.',
      'Fix the database first: see the check "database".',
    );
  const recorded = await readServiceMailDomain(database.opened);
  const configured = senderOf({ from: config.mailFrom, hostedDomain: config.hostedDomain }).domain;
  const names =
    config.mailFrom === null && recorded !== null ? [recorded] : [recorded ?? configured, configured];
  const findings: Finding[] = [];
  for (const name of new Set(names)) findings.push(await checkDomain({ config, database }, name));
  return (
    findings.find(({ verdict }) => verdict === 'problem') ??
    findings.find(({ verdict }) => verdict === 'warning') ??
    ok(findings.map(({ seen }) => seen).join(' '))
  );
}

async function checkDomain({ config, database }: OpenWorld, name: string): Promise<Finding> {
  if (name === config.hostedDomain)
    return ok(`Service mail is sent from the hosted domain ${name}: see the check "hosted_domain".`);
  const state = await readServiceMailState(database.opened, name, trustsManualVerification(config));
  if (state.domainId === null) return withoutKeys(state, name);
  const { claim, active, hasOwnNext } = await recordsOfDomain({ config, database }, name, state.domainId);
  const wrong = (await findWrongRecords(config, name, active, claim)).filter(({ required }) => required);
  return state.keys === 'copied' ? ofCopied(name, wrong, hasOwnNext) : ofOwn(name, state, wrong);
}

/** The finding for a domain for which the installation has no keys. */
function withoutKeys({ state }: ServiceMailState, name: string): Finding {
  if (state !== 'stopped')
    return ok(`A project has verified ${name}: the next start copies its keys for service mail.`);
  return problem(
    `${STOPPED} POSTHORN_MAIL_FROM is at ${name}, which no project has verified, and the installation has no keys for it.`,
    `Run "posthorn domain add --installation --domain ${name}" and publish the records, or set POSTHORN_MAIL_FROM to an address on another domain.`,
  );
}

/** Returns the claim and the records of its active keys. Also reports whether the installation's own key is waiting to replace copied keys. */
async function recordsOfDomain(
  { config, database }: OpenWorld,
  name: string,
  domainId: string,
): Promise<{ claim: DomainClaim | undefined; active: ExpectedRecord[]; hasOwnNext: boolean }> {
  const [claim] = await readClaims(database.opened, HOSTED_PROJECT_ID, config.hostedDomain, domainId);
  const keys = claim?.keys ?? [];
  const active = keys.filter(({ state }) => state === 'active');
  const access = { hostname: config.hostname, webHost: config.hostname, services: [] };
  return {
    claim,
    active: recordsOf({ name, keys: active, hasMailboxes: false }, access),
    hasOwnNext: keys.some(({ state }) => state === 'next'),
  };
}

function ofOwn(name: string, state: ServiceMailState, wrong: readonly WrongRecord[]): Finding {
  const show = `posthorn domain show --installation --domain ${name}`;
  const seen = wrong.map(({ error }) => error).join(' ');
  const publish = `Publish the records that "${show}" prints`;
  if (state.state === 'stopped') {
    const found = seen === '' ? 'All of them are in DNS now.' : seen;
    const next =
      state.nextCheckAt === null
        ? `Then run "posthorn domain add --installation --domain ${name}" again, since they are no longer checked.`
        : `They are checked next at ${state.nextCheckAt.toISOString()}.`;
    return problem(
      `${STOPPED} The DNS records of ${name}, the domain of POSTHORN_MAIL_FROM, are not verified. ${found}`,
      `${publish}. ${next}`,
    );
  }
  if (state.stopsAt !== null)
    return warning(
      `${name}, the domain of POSTHORN_MAIL_FROM, has lost DNS records, and service mail stops at ${state.stopsAt.toISOString()}. ${seen}`.trim(),
      `${publish}.`,
    );
  if (wrong.some(({ isMissing }) => isMissing))
    return warning(
      `${seen} Service mail from ${name} stops 72 hours after a server has noticed it.`,
      `${publish}.`,
    );
  if (seen !== '') return uncertain(wrong, seen);
  return ok(`The required records of ${name}, the domain of POSTHORN_MAIL_FROM, are published.`);
}

/** The finding if no record is missing, but records are tolerated or could not be looked up. */
function uncertain(wrong: readonly WrongRecord[], seen: string): Finding {
  const [fixBy] = wrong.flatMap((record) => record.fixBy ?? []).toSorted();
  return fixBy === undefined
    ? warning(seen, 'Run the check again.')
    : warning(`${seen} The domain counts as verified until ${fixBy}.`, 'Correct the records before then.');
}

function ofCopied(name: string, wrong: readonly WrongRecord[], hasOwnNext: boolean): Finding {
  const seen = wrong.map(({ error }) => error).join(' ');
  const add = `posthorn domain add --installation --domain ${name}`;
  if (wrong.some(({ isMissing }) => isMissing))
    return problem(
      `Receivers may reject service mail from ${name}, which is signed with keys copied from a project: ${seen}`,
      `Let the project publish its records again, or give the installation keys of its own: "${add}".`,
    );
  if (seen !== '') return uncertain(wrong, seen);
  if (hasOwnNext)
    return warning(
      `The installation's own key of ${name} is waiting for its records. Until then, service mail is signed with keys copied from a project.`,
      `Publish the records that "posthorn domain show --installation --domain ${name}" prints.`,
    );
  return ok(
    `Service mail from ${name} is signed with keys copied from a project, and their records are published.`,
  );
}
