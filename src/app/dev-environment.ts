/** The environment of the service in `posthorn dev`. */
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { type EnvironmentVariables, textOf } from './config.ts';

/** The variables that a developer can set. All others describe real installations, and are ignored. */
const READ = ['POSTHORN_LOG_LEVEL', 'POSTHORN_DATABASE_URL', 'POSTHORN_SECRET'];
/** Emails are deleted after this time, so that the folder does not grow without end. */
const KEEP_DAYS = '7';

/** @throws StartupError if the variables describe a real installation */
export function devEnvironment(
  env: EnvironmentVariables,
  { dataDir, smtpPort, httpPort }: { dataDir: string; smtpPort: string; httpPort: string },
): Record<string, string> {
  const reject = (setting: string): never => {
    const message = `posthorn dev opens an inbox without sign-in, so it does not start with ${setting}. Unset this variable.`;
    throw new StartupError(message, { exitCode: BAD_CONFIGURATION });
  };
  if (textOf(env, 'POSTHORN_ENV') === 'production') reject('POSTHORN_ENV=production');
  const provider = textOf(env, 'POSTHORN_PROVIDER') ?? 'sandbox';
  if (provider !== 'sandbox') reject(`POSTHORN_PROVIDER=${provider}`);
  const taken = READ.flatMap((name) => {
    const value = textOf(env, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    POSTHORN_LOG_LEVEL: 'warn',
    ...Object.fromEntries(taken),
    POSTHORN_DATA: dataDir,
    POSTHORN_DEV_SMTP_PORT: smtpPort,
    POSTHORN_HTTP_PORT: httpPort,
    POSTHORN_LISTEN: '127.0.0.1,::1',
    POSTHORN_ROLES: 'http,worker',
    POSTHORN_ENV: 'development',
    POSTHORN_PROVIDER: 'sandbox',
    POSTHORN_KEEP_DAYS: KEEP_DAYS,
  };
}
