/** The settings in readable form: each setting in `config.ts`, with its value in an environment. */
import { changeUrl } from '../db/connection-url.ts';
import { withoutKeys } from '../receiving/blocklists/list-settings.ts';
import {
  ALL_SETTINGS,
  type EnvironmentVariables,
  readConfig,
  readSetting,
  type Setting,
  textOf,
} from './config.ts';

export interface EffectiveSetting {
  name: string;
  /** The parsed value, without secrets. Null if the setting has no value; `without` then describes the behavior. */
  value: string | null;
  without: string | null;
  source: 'environment' | 'default';
}

const MASK = '***';
/** URL parameters in which PostgreSQL accepts a password. */
const SECRET_PARAMETER = /^(?:ssl)?password$/;

/** @throws ConfigError if the configuration is invalid */
export function effectiveSettings(env: EnvironmentVariables): EffectiveSetting[] {
  const config = readConfig(env);
  const derived: Readonly<Record<string, string>> = {
    POSTHORN_LISTEN: config.listen.join(','),
    POSTHORN_HOSTNAME: config.hostname,
    POSTHORN_BASE_URL: config.baseUrl ?? `http://localhost:${config.httpPort}`,
  };
  // If SES is not configured, the SES settings are never read, so they may be invalid.
  const read = ALL_SETTINGS.filter(({ name }) => config.ses !== null || !name.startsWith('POSTHORN_SES_'));
  return read.map((setting) => {
    const { name, without = null } = setting;
    const isSet = textOf(env, name) !== undefined;
    const value = shown(setting, env) ?? derived[name] ?? null;
    return {
      name,
      value,
      without: value === null ? without : null,
      source: isSet ? 'environment' : 'default',
    };
  });
}

function shown(setting: Setting, env: EnvironmentVariables): string | null {
  const text = textOf(env, setting.name);
  if (text !== undefined && setting.hides === 'all') return MASK;
  if (text !== undefined && setting.hides === 'password') return withoutPassword(text);
  if (text !== undefined && setting.hides === 'keys') return withoutKeys(text);
  const value = readSetting(setting, env);
  return value === null ? null : String(value);
}

/** @param text a valid URL */
function withoutPassword(text: string): string {
  return changeUrl(text, (url) => {
    if (url.password !== '') url.password = MASK;
    for (const name of Array.from(url.searchParams.keys()))
      if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, MASK);
  });
}
