import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useSession } from '../../shell/session.ts';
import type { Session } from '../../../../src/contract/dashboard/session.ts';
import type { Snippet } from '../start/snippets.ts';
import { objectIn } from './sample.ts';

type Service = Session['service'];

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Shows how an application sends emails with the template. */
export function UseIt({ id, sample }: { id: string; sample: string }) {
  const { service } = useSession();
  const [language, setLanguage] = useSearchParam('language');
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
      <p className="text-pretty text-muted">
        Send the template’s ID and values instead of a subject and bodies. The published version is used, and
        emails with missing variables are rejected. Create an API key under{' '}
        <Link to="/api-keys" className="font-medium text-accent hover:underline">
          API keys
        </Link>
        .
      </p>
      <Tabs
        label="Languages"
        value={language === '' ? 'curl' : language}
        onChange={(value) => setLanguage(value === 'curl' ? '' : value)}
        tabs={snippetsOf(service, id, sample).map(({ value, label, code }) => ({
          value,
          label,
          content: <CodeBlock code={code} label={`The example in ${label}`} />,
        }))}
      />
    </div>
  );
}

/** Code examples in three languages that send the same email. */
function snippetsOf({ base_url, hosted_domain }: Service, id: string, sample: string): Snippet[] {
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

function curl(baseUrl: string, email: object): string {
  // The body is in single quotes, so single quotes in the JSON are escaped for a shell.
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

/** A Python program with the email as JSON in a string, because Python has other literals for true and null. */
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
