import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startRealApi } from '../../test/support/api.ts';
import { environmentOf, posthorn, type Ran } from '../../test/support/cli.ts';
import { newDomain } from '../../test/support/projects.ts';

const api = await startRealApi();
after(() => api[Symbol.asyncDispose]());
const DOMAIN = 'news.acme.com';
await newDomain(api.db.database, api.project.id, DOMAIN);

function setDomain(project: string, ...args: string[]): Promise<Ran> {
  return posthorn(environmentOf(api.db), 'domain', 'set', '--project', project, '--domain', DOMAIN, ...args);
}

describe('posthorn domain set', () => {
  test('sets what is tracked, shows it, and leaves it to the project again', async () => {
    const { stdout } = await setDomain(api.project.name, '--track-opens', 'on', '--json');
    assert.deepEqual(JSON.parse(stdout), { domain: DOMAIN, track_opens: 'on', track_clicks: 'inherit' });
    const again = await setDomain(api.project.name, '--track-opens', 'inherit', '--track-clicks', 'off');
    assert.match(again.stdout, /track_opens: inherit\ntrack_clicks: off\n/);
  });

  test('refuses a domain that is not the own of the project', async () => {
    const { code, stderr } = await setDomain(api.other.name, '--track-opens', 'on');
    assert.equal(code, 1);
    assert.match(stderr, /no domain news\.acme\.com of its own/);
  });

  test('asks what to set where nothing is said', async () => {
    const { code, stderr } = await setDomain(api.project.name);
    assert.equal(code, 1);
    assert.match(stderr, /--track-opens or --track-clicks/);
  });
});
