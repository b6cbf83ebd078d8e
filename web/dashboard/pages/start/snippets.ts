import type { Session } from '../../../../src/contract/dashboard/session.ts';

type Service = Session['service'];

/** The placeholder in code examples until the user has a key. Shows users which text to replace. */
export const NO_KEY = '$POSTHORN_KEY';

export interface Snippet {
  value: string;
  label: string;
  code: string;
}

/**
 * Three code examples that send a first email.
 * @param key a token, or `NO_KEY`
 * @param to the recipient; emails in the sandbox are not delivered
 */
export function snippetsOf(service: Service, key: string, to: string): Snippet[] {
  const from = `hello@${service.hosted_domain}`;
  return [
    { value: 'curl', label: 'curl', code: curl(service, key, from, to) },
    { value: 'typescript', label: 'TypeScript', code: typescript(service, key, from, to) },
    { value: 'smtp', label: 'SMTP', code: smtp(service, key, from, to) },
  ];
}

function curl({ base_url }: Service, key: string, from: string, to: string): string {
  return `curl ${base_url}/v1/emails \\
  -H "Authorization: Bearer ${key}" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "from": "${from}",
    "to": ["${to}"],
    "subject": "Hello",
    "html": "<p>It works.</p>",
    "text": "It works."
  }'`;
}

function typescript({ base_url }: Service, key: string, from: string, to: string): string {
  const apiKey = key === NO_KEY ? 'process.env.POSTHORN_KEY' : `'${key}'`;
  return `import { Posthorn } from '@posthorn/sdk';

const posthorn = new Posthorn({
  apiKey: ${apiKey},
  baseUrl: '${base_url}',
});
const { id } = await posthorn.emails.send({
  from: '${from}',
  to: ['${to}'],
  subject: 'Hello',
  html: '<p>It works.</p>',
  text: 'It works.',
});`;
}

/** The SMTP settings for a program, and a command that sends an email with these settings. */
function smtp({ hostname, submission }: Service, key: string, from: string, to: string): string {
  const [best] = submission;
  if (best === undefined) return 'This server does not accept mail by SMTP: no submission port is open.';
  const scheme = best.security === 'tls' ? 'smtps' : 'smtp';
  const isTls = best.security === 'starttls' ? ' --ssl-reqd' : '';
  return `# Host ${hostname}, port ${best.port}, user apikey, password the API key
printf 'From: ${from}\\r\\nTo: ${to}\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n' |
  curl ${scheme}://${hostname}:${best.port}${isTls} --user "apikey:${key}" \\
    --mail-from ${from} --mail-rcpt ${to} --upload-file -`;
}
