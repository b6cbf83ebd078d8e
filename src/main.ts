/** `npm start`. */
import { type Config, ConfigError, readConfig } from './config.ts';
import { supervise } from './process/supervisor.ts';

/** EX_CONFIG of sysexits(3). */
const BAD_CONFIGURATION = 78;

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(BAD_CONFIGURATION);
  }
}

process.exit(await supervise(configOrExit()));
