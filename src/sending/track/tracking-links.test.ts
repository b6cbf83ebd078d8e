import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newUuid } from '../../model/ids.ts';
import { TrackingLinks } from './tracking-links.ts';

const BASE = 'https://mail.example.com';
const links = new TrackingLinks(createSecretKey(Buffer.alloc(32, 1)));
const of = { projectId: newUuid(), emailId: newUuid(), recipientIndex: 3 };

/** The parts of a link after `/t/<kind>/`. */
function parts(link: string | null): [string, string] {
  const [token = '', target = ''] = (link ?? '').slice(BASE.length + '/t/x/'.length).split('/');
  return [token, target];
}

const pixel = parts(links.pixel(BASE, of))[0];
const unsubscribe = parts(links.unsubscribe(BASE, of))[0];
const [click, target] = parts(links.click(BASE, of, 'https://acme.example/a?b=c&d=ü#e'));

describe('tracking links', () => {
  it('tracking links identify the recipient', () => {
    assert.deepEqual(links.verifyPixel(pixel), of);
    assert.deepEqual(links.verifyUnsubscribe(unsubscribe), of);
    assert.deepEqual(links.verifyClick(click, target), { of, url: 'https://acme.example/a?b=c&d=%C3%BC#e' });
  });

  it('tracking links verify for every recipient and every target', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.uuid(),
        fc.integer({ min: 0, max: 49 }),
        fc.webUrl(),
        (projectId, emailId, recipientIndex, url) => {
          const mine = { projectId, emailId, recipientIndex };
          const [token, encoded] = parts(links.click(BASE, mine, url));
          assert.deepEqual(links.verifyClick(token, encoded), { of: mine, url: new URL(url).href });
        },
      ),
    );
  });

  it('a tracking link is valid for one kind only', () => {
    assert.equal(links.verifyPixel(unsubscribe), null);
    assert.equal(links.verifyPixel(click), null);
    assert.equal(links.verifyUnsubscribe(pixel), null);
    assert.equal(links.verifyClick(pixel, ''), null);
    assert.equal(links.verifyClick(unsubscribe, ''), null);
  });

  it('a click link is invalid with another target', () => {
    const elsewhere = Buffer.from('https://evil.example/').toString('base64url');
    assert.equal(links.verifyClick(click, elsewhere), null);
    assert.equal(links.verifyClick(click, ''), null);
    assert.equal(links.verifyClick(click, 'x'.repeat(100_000)), null);
  });

  it('tracking links made with another secret are invalid', () => {
    const others = new TrackingLinks(createSecretKey(Buffer.alloc(32, 2)));
    assert.equal(others.verifyPixel(pixel), null);
  });

  it('a tracking link is invalid after any change', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 47 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = Buffer.from(pixel, 'base64url');
        bytes[at] = (bytes[at] ?? 0) ^ change;
        assert.equal(links.verifyPixel(bytes.toString('base64url')), null);
      }),
    );
  });

  it('verification never throws, whatever the token', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (token, encoded) => {
        assert.equal(links.verifyPixel(token), null);
        assert.equal(links.verifyClick(token, encoded), null);
      }),
    );
  });

  for (const href of [
    'mailto:a@acme.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '#top',
    '/relative',
    'https://',
    '{{url}}',
    `https://acme.example/${'x'.repeat(1_300)}`,
    // Longer than any DNS name, and slow to convert to A-labels.
    `https://${'é'.repeat(254)}/`,
    `http:\\/\t${'%c3%a9'.repeat(50)}#x`,
    `https:${'x'.repeat(254)}?a`,
  ]) {
    it(`tracking links are not created for ${href.slice(0, 40)}`, () => {
      assert.equal(links.click(BASE, of, href), null);
    });
  }
});
