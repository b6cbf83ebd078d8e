/** Creates mailboxes through the API, because the API of an earlier version is the same even if its database schema is not. */
import type { ImapEndpoint } from './imap.ts';
import type { Product } from './product.ts';

const PASSWORD = 'correct horse battery staple';

/** Creates a mailbox in the hosted domain. @param token an API key @param port the port of the IMAP server */
export async function createMailbox(
  product: Product,
  token: string,
  localPart: string,
  port: number,
): Promise<ImapEndpoint> {
  const { data } = (await call(product, token, '/v1/domains')) as {
    data: { id: string; is_hosted: boolean }[];
  };
  await call(product, token, '/v1/mailboxes', {
    domain_id: data.find((domain) => domain.is_hosted)?.id,
    local_part: localPart,
    password: PASSWORD,
    quota_mb: 1_000_000,
  });
  return { port, user: `${localPart}@src.test`, password: PASSWORD };
}

async function call({ port }: Product, token: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return response.json();
}
