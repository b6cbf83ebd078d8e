/** Checks for a missing provider without loading a library, because the supervisor runs this check. See `provider-required.ts`. */
import { existsSync } from 'node:fs';
import { clusterFolder } from '../installation/embedded/cluster.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import type { Config } from './config.ts';

/** The error for a new installation in production without a provider. */
export function providerMissing(): StartupError {
  return new StartupError(
    "POSTHORN_PROVIDER is not set, and POSTHORN_ENV is production. Set POSTHORN_PROVIDER to direct (deliver to the recipients' servers), smtp (hand all mail to POSTHORN_SMTP_URL), ses (hand all mail to Amazon SES) or sandbox (deliver nothing).",
    { exitCode: BAD_CONFIGURATION },
  );
}

/**
 * Rejects a new installation with embedded PostgreSQL before its folder is created.
 * @throws the error of `providerMissing`
 */
export function requireProviderForFolder({
  provider,
  databaseUrl,
  dataDir,
}: Pick<Config, 'provider' | 'databaseUrl' | 'dataDir'>): void {
  if (provider === null && databaseUrl === null && !existsSync(clusterFolder(dataDir)))
    throw providerMissing();
}
