import type { RejectedRequestDetail } from '../../../../src/contract/dashboard/api-log.ts';
import { shellQuoted } from '../email/curl.ts';

type Command = Pick<RejectedRequestDetail, 'method' | 'path' | 'body'>;

/** A curl command that sends a rejected request again. The API key comes from a shell variable. */
export function curlOfRequest(baseUrl: string, { method, path, body }: Command): string {
  return [
    // Without `--path-as-is`, curl would remove `..` and request something else.
    `curl -sS --path-as-is -X ${method} ${shellQuoted(baseUrl + path)}`,
    `-H "Authorization: Bearer $POSTHORN_KEY"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json'`, `--data-raw ${shellQuoted(body)}`]),
  ].join(' \\\n  ');
}

/** Whether the body has values that were not stored (`REDACTED` in `src/contract/redact.ts`), or shortened texts. */
export function hasReplacements({ body }: Pick<Command, 'body'>): boolean {
  return body !== null && /"<(?:secret|content|unknown field|value|object|list|cut)>"|…"/.test(body);
}

/** Whether a parameter in the path was shortened (`shorten` in `src/contract/redact.ts`), so that the path is of another resource. */
export function isPathCut({ path }: Pick<Command, 'path'>): boolean {
  return /%E2%80%A6(?:\/|$)/.test(path);
}
