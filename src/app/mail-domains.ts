import { trustsManualVerification } from '../domains/sending-domains.ts';
import type { ProjectMailDomains } from '../receiving/inside/is-of-project.ts';
import type { Config } from './config.ts';

/** The settings that decide for which domains mail is delivered locally. The settings are the same on every machine. */
export function mailDomains(
  config: Pick<Config, 'hostname' | 'mxNames' | 'hostedDomain' | 'environment'>,
): ProjectMailDomains {
  const { hostname, mxNames, hostedDomain } = config;
  return {
    hostedDomain,
    trustsManualVerification: trustsManualVerification(config),
    mxHosts: [hostname, ...mxNames],
  };
}
