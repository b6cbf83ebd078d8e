/** Every port of the service, with its role and setting. */
import type { Config, ConfiguredRole } from './config.ts';
import { isUsedBySmartHost } from './reports-port.ts';

interface PortSetting {
  setting: `${'http' | 'https' | 'smtp' | 'devSmtp' | 'submission' | 'submissions' | 'imap' | 'imaps' | 'pop3' | 'pop3s'}Port`;
  variable: string;
  /** The role that opens the port. Null if every instance opens it. */
  role: ConfiguredRole | null;
  /** Whether the port has TLS from the first byte, and so needs a certificate. */
  needsTls: boolean;
}

const PORTS = {
  http: { setting: 'httpPort', variable: 'POSTHORN_HTTP_PORT', role: null, needsTls: false },
  https: { setting: 'httpsPort', variable: 'POSTHORN_HTTPS_PORT', role: 'http', needsTls: true },
  smtp: { setting: 'smtpPort', variable: 'POSTHORN_SMTP_PORT', role: 'smtp', needsTls: false },
  devSmtp: { setting: 'devSmtpPort', variable: 'POSTHORN_DEV_SMTP_PORT', role: 'http', needsTls: false },
  submission: {
    setting: 'submissionPort',
    variable: 'POSTHORN_SUBMISSION_PORT',
    role: 'submission',
    needsTls: false,
  },
  submissions: {
    setting: 'submissionsPort',
    variable: 'POSTHORN_SUBMISSIONS_PORT',
    role: 'submission',
    needsTls: true,
  },
  imap: { setting: 'imapPort', variable: 'POSTHORN_IMAP_PORT', role: 'imap', needsTls: false },
  imaps: { setting: 'imapsPort', variable: 'POSTHORN_IMAPS_PORT', role: 'imap', needsTls: true },
  pop3: { setting: 'pop3Port', variable: 'POSTHORN_POP3_PORT', role: 'pop3', needsTls: false },
  pop3s: { setting: 'pop3sPort', variable: 'POSTHORN_POP3S_PORT', role: 'pop3', needsTls: true },
} as const satisfies Record<string, PortSetting>;

export type PortName = keyof typeof PORTS;

/**
 * Port numbers to listen on. `http` is the port of the API, or of the status role on an instance without the API. 0 picks a free port; for
 * a port that is not configured, it means that the port is not opened.
 */
export type Ports = Record<PortName, number>;

/** The port numbers on which a process listens; null for ports that the process has not opened. */
export type OpenPorts = Record<PortName, number | null>;

export type PortConfig = Pick<Config, PortSetting['setting'] | 'roles' | 'smartHost' | 'tls' | 'acme'>;

function mapPorts<Value>(value: (name: PortName) => Value): Record<PortName, Value> {
  const names = Object.keys(PORTS) as PortName[];
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<PortName, Value>;
}

export function configuredPorts(config: PortConfig): Ports {
  return mapPorts((name) => config[PORTS[name].setting] ?? 0);
}

export function noPorts(): OpenPorts {
  return mapPorts(() => null);
}

/** Combines the open ports of all processes of an instance. */
export function mergeOpenPorts(all: readonly OpenPorts[]): OpenPorts {
  return mapPorts((name) => all.find((ports) => ports[name] !== null)?.[name] ?? null);
}

/** The ports for a process that replaces another: each port that its predecessor had open, and the configured port for the others. */
export function replacementPorts(open: OpenPorts, configured: Ports): Ports {
  return mapPorts((name) => open[name] ?? configured[name]);
}

/** The options of `posthorn dev` that set ports. */
const DEV_OPTIONS: Readonly<Record<string, string>> = { http: '--http-port', devSmtp: '--smtp-port' };

/** The ports on which an instance listens, each with the variable that sets it, or the option of `posthorn dev`. */
export function listenPorts(config: PortConfig): { port: number; variable: string }[] {
  return Object.entries(PORTS)
    .filter(([name, { role, needsTls }]) => {
      if (role !== null && !config.roles.includes(role)) return false;
      if (needsTls && config.tls === null && config.acme === null) return false;
      return name !== 'smtp' || !isUsedBySmartHost(config);
    })
    .flatMap(([name, { setting, variable }]) => {
      const port = config[setting];
      const option = config.devSmtpPort === null ? undefined : DEV_OPTIONS[name];
      return port === null ? [] : [{ port, variable: option ?? variable }];
    });
}

export function hasHttps({ httpsPort, tls, acme }: Pick<Config, 'httpsPort' | 'tls' | 'acme'>): boolean {
  return httpsPort !== null && (tls !== null || acme !== null);
}
