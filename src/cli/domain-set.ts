import { setTimeout } from 'node:timers/promises';
import { findProjectByName } from '../accounts/projects.ts';
import { changeDomainTracking, type DomainTracking } from '../domains/domain-tracking.ts';
import { SENDING_DOMAIN_TTL_MS } from '../domains/sending-domains.ts';
import { validationError } from '../model/app-error.ts';
import { parseDomain } from '../rfc/address/domain.ts';
import { print, withDatabase } from './with-database.ts';

type Choice = 'on' | 'off' | 'inherit';

interface Options {
  project: string;
  domain: string;
  trackOpens?: Choice;
  trackClicks?: Choice;
  json?: boolean;
}

/** When it ends, every running server knows what was changed. */
export async function setDomain({ project, domain, trackOpens, trackClicks, json }: Options): Promise<void> {
  const changes: Partial<DomainTracking> = {
    ...(trackOpens !== undefined && { trackOpens: valueOf(trackOpens) }),
    ...(trackClicks !== undefined && { trackClicks: valueOf(trackClicks) }),
  };
  if (Object.keys(changes).length === 0)
    throw validationError({ options: 'say what to set: --track-opens or --track-clicks' });
  const name = parseDomain(domain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, project);
    const now = await changeDomainTracking(database, projectId, name, changes);
    await setTimeout(SENDING_DOMAIN_TTL_MS);
    print(json, {
      domain: name,
      track_opens: choiceOf(now.trackOpens),
      track_clicks: choiceOf(now.trackClicks),
    });
  });
}

function valueOf(choice: Choice): boolean | null {
  return choice === 'inherit' ? null : choice === 'on';
}

function choiceOf(value: boolean | null): Choice {
  if (value === null) return 'inherit';
  return value ? 'on' : 'off';
}
