/** Where a key for the examples comes from. */
import { KEY_VARIABLE } from './curl.ts';
import { type Html, html } from './html.ts';
import { codeBlock } from './markdown.ts';

const COMMAND = 'npm run -s posthorn -- key create --project default --name docs';

export function firstKey(): Html {
  return html`<p>The first start of Posthorn prints a key. Whoever runs it makes another one where it is installed:</p>
${codeBlock(COMMAND, 'sh')}<p>The examples read the key from the shell:</p>
${codeBlock(`export ${KEY_VARIABLE}=svc_live_...`, 'sh')}`;
}
