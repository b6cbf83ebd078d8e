/** An example of sending by SMTP. Null if the service does not accept submissions. */
import type { Instance } from '../instance.ts';
import { KEY_VARIABLE } from './curl.ts';

export function smtpOf({ submission, hostedDomain }: Instance): string | null {
  if (submission === null) return null;
  const { host, port, security } = submission;
  const from = `orders@${hostedDomain}`;
  const to = 'customer@example.org';
  const url = `${security === 'tls' ? 'smtps' : 'smtp'}://${host}:${port}`;
  return `# For a program: host ${host}, port ${port}, user apikey, password the API key${SECURITY[security]}
printf 'From: Acme <${from}>\\r\\nTo: ${to}\\r\\nSubject: Your order has shipped\\r\\n\\r\\nIt is on its way.\\r\\n' |
  curl -sS ${url}${security === 'starttls' ? ' --ssl-reqd' : ''} --user "apikey:$${KEY_VARIABLE}" \\
    --mail-from ${from} --mail-rcpt ${to} --upload-file -`;
}

const SECURITY = {
  tls: ', TLS from the first byte',
  starttls: ', STARTTLS',
  none: ', without TLS and only from this machine',
} as const satisfies Record<NonNullable<Instance['submission']>['security'], string>;
