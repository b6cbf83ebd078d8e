import { AcmeCertificates } from '../certificates/acme/acme-certificates.ts';
import type { ChallengeType } from '../certificates/acme/challenges.ts';
import { type Certificates, NO_CERTIFICATE } from '../certificates/certificates.ts';
import { FileCertificate } from '../certificates/file-certificate.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { ProcessRole } from './assignment.ts';
import type { BaseCore } from './base-core.ts';
import type { Config } from './config.ts';
import { hasHttps } from './ports.ts';

const WITHOUT_TLS: readonly ProcessRole[] = ['worker', 'status'];

/**
 * Opens the certificates for the ports of a process. The core closes the certificates.
 * @throws StartupError if the configured files cannot be used
 */
export async function openCertificates(
  core: BaseCore,
  allRoles: readonly ProcessRole[],
): Promise<Certificates> {
  const { stack, config, database, logger } = core;
  const { tls, acme } = config;
  const roles = allRoles.filter((role) => !WITHOUT_TLS.includes(role));
  const hasTls = roles.some((role) => role !== 'http') || hasHttps(config);
  if (tls !== null && hasTls)
    return new FileCertificate(tls, (error) =>
      logger.error({ err: error }, LOG_MESSAGES.certificateUnusable),
    );
  if (acme === null || roles.length === 0) return NO_CERTIFICATE;
  const sealer = await core.unseal();
  return stack.use(
    await AcmeCertificates.open({ database, sealer, logger, ...acme, types: challengeTypes(config) }),
  );
}

/** If there is an https port, the authority can validate there too. This helps if another program uses the http port. */
function challengeTypes(config: Config): readonly ChallengeType[] {
  return hasHttps(config) ? ['tls-alpn-01', 'http-01'] : ['http-01'];
}
