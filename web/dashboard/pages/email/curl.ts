import type { EmailContent, InspectedEmail } from '../../../../src/contract/dashboard/email.ts';

/** A curl command that sends the same content with the API. The API key comes from a shell variable. */
export function curlOf(baseUrl: string, email: InspectedEmail, content: EmailContent): string {
  const body = {
    from: email.from,
    to: email.to,
    ...(email.cc.length > 0 && { cc: email.cc }),
    ...(email.bcc.length > 0 && { bcc: email.bcc }),
    ...(email.reply_to !== null && { reply_to: email.reply_to }),
    subject: email.subject,
    ...(content.html !== null && { html: content.html }),
    ...(!content.text_is_made && { text: content.text }),
    ...(Object.keys(content.headers).length > 0 && { headers: content.headers }),
    ...(email.tags.length > 0 && { tags: email.tags }),
    ...(email.stream !== 'transactional' && { stream: email.stream }),
  };
  return [
    `curl -sS -X POST ${shellQuoted(`${baseUrl}/v1/emails`)}`,
    `-H "Authorization: Bearer $POSTHORN_KEY"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${shellQuoted(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ');
}

/** Quotes a text as one word for a POSIX shell. Within single quotes only the single quote is special. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
