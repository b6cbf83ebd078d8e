import type { Session } from '../../../../src/contract/dashboard/session.ts';
import type { Snippet } from '../start/snippets.ts';
import { objectIn } from './sample.ts';

type Service = Session['service'];

/** One email by the template, in three languages. */
export function snippetsOf({ base_url, hosted_domain }: Service, id: string, sample: string): Snippet[] {
  const variables = objectIn(sample) ?? {};
  const email = {
    from: `hello@${hosted_domain}`,
    to: ['ada@example.com'],
    template_id: id,
    variables,
  };
  return [
    { value: 'curl', label: 'curl', code: curl(base_url, email) },
    { value: 'typescript', label: 'TypeScript', code: typescript(base_url, email) },
    { value: 'python', label: 'Python', code: python(base_url, email) },
  ];
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function curl(baseUrl: string, email: object): string {
  // In single quotes of a shell.
  return `curl ${baseUrl}/v1/emails \\
  -H "Authorization: Bearer $POSTHORN_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${json(email).replaceAll("'", "'\\''")}'`;
}

function typescript(baseUrl: string, email: object): string {
  return `import { Posthorn } from '@posthorn/sdk';

const posthorn = new Posthorn({
  apiKey: process.env.POSTHORN_KEY,
  baseUrl: '${baseUrl}',
});
const { id } = await posthorn.emails.send(${json(email)});`;
}

/** JSON in a string, since its words for true and null are not those of Python. */
function python(baseUrl: string, email: object): string {
  return `import os, urllib.request

email = r'''${json(email).replaceAll("'", '\\u0027')}'''
request = urllib.request.Request(
    '${baseUrl}/v1/emails',
    data=email.encode(),
    headers={
        'Authorization': 'Bearer ' + os.environ['POSTHORN_KEY'],
        'Content-Type': 'application/json',
    },
)
print(urllib.request.urlopen(request).read().decode())`;
}
