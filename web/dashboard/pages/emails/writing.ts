/** The fields of a new email, and the request made from the fields. */
import type { ComposeEmail } from '../../../../src/contract/dashboard/email.ts';
import { objectIn } from '../template/sample.ts';

export type Writing = Record<
  | ('from' | 'to' | 'cc' | 'bcc' | 'reply_to' | 'subject' | 'text' | 'html')
  | ('template' | 'variables' | 'tags' | 'headers' | 'at' | 'stream'),
  string
>;

/** @returns the body, and the errors by request field. The service finds all other errors */
export function bodyOf(writing: Writing): {
  body: Omit<ComposeEmail, 'key'> | null;
  faults: Record<string, string>;
} {
  const { from, subject, text, html, template, reply_to: replyTo } = writing;
  const [to, cc, bcc] = [addressesIn(writing.to), addressesIn(writing.cc), addressesIn(writing.bcc)];
  const tags = writing.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const variables = template === '' ? {} : objectIn(writing.variables);
  const headers = headersIn(writing.headers);
  const faults = {
    ...(to.length === 0 && { to: 'Enter an address such as ann@acme.example.' }),
    ...(variables === null && { variables: 'Enter a JSON object, such as {"name": "Ada"}.' }),
    ...(headers === null && { headers: 'Enter a name, a colon and a value on each line.' }),
  };
  if (to.length === 0 || variables === null || headers === null) return { body: null, faults };
  return {
    body: {
      from: from.trim(),
      to,
      ...(cc.length > 0 && { cc }),
      ...(bcc.length > 0 && { bcc }),
      ...(replyTo.trim() !== '' && { reply_to: replyTo.trim() }),
      ...(template === '' ? { subject, text, html } : { template_id: template, variables }),
      ...(tags.length > 0 && { tags }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(writing.stream === 'bulk' && { stream: writing.stream }),
      ...(writing.at !== '' && { scheduled_at: new Date(writing.at).toISOString() }),
    },
    faults,
  };
}

/** Splits a list of addresses. A comma inside quotes is part of a name. */
function addressesIn(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,"\n]|")+/g) ?? [])
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

function headersIn(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const fields = lines.map((line) => /^([^:\s]+):\s*(.*)$/.exec(line.trim()));
  if (fields.includes(null)) return null;
  return Object.fromEntries(fields.map((field) => [field?.[1] ?? '', field?.[2] ?? '']));
}
