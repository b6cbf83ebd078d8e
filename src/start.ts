/** The program of `npm start`. */
import { type Config, ConfigError, readConfig } from './app/config.ts';
import { requireProviderForFolder } from './app/provider-missing.ts';
import { BAD_CONFIGURATION, StartupError } from './model/startup-error.ts';
import { print } from './process/terminal.ts';
import { buildPages } from './process/build-pages.ts';
import { supervise } from './process/supervisor.ts';
import { describeUnknown, unknownVariables } from './app/unknown-variables.ts';

function configOrExit(): Config {
  try {
    const config = readConfig(process.env);
    requireProviderForFolder(config);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartupError)) throw error;
    print(error.message);
    process.exit(BAD_CONFIGURATION);
  }
}

// Report unknown variables first. If a required variable is missing, the operator may have mistyped its name.
for (const variable of unknownVariables(process.env)) print(describeUnknown(variable));
const config = configOrExit();
if (config.provider === 'direct' && config.environment === 'production' && !config.hostname.includes('.')) {
  print(
    `POSTHORN_HOSTNAME is ${config.hostname}, which has no dot. Other servers reject mail from a host that is not in DNS. Set POSTHORN_HOSTNAME to the full name of this machine, such as mail.acme.example.`,
  );
}
await buildPages();
process.exit(await supervise(config));
