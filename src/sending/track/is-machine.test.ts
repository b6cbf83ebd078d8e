import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { isMachine } from './is-machine.ts';

const PEOPLE: readonly [who: string, userAgent: string][] = [
  [
    'Chrome on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [
    'Edge',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  [
    'Safari on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  ],
  [
    'Chrome on a phone called CUBOT',
    'Mozilla/5.0 (Linux; Android 10; CUBOT X20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
  ],
  [
    'Apple Mail without privacy protection',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  ],
  ['Gmail', 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
  ['Yahoo Mail', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
  ['Outlook for Windows', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'],
  [
    'an old Outlook',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/8.0; .NET4.0C; .NET4.0E; Microsoft Outlook 16.0.5071; ms-office; MSOffice 16)',
  ],
  ['Thunderbird', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.4.0'],
  ['a mail program on Android', 'okhttp/4.12.0'],
  ['another one', 'Dalvik/2.1.0 (Linux; U; Android 14; SM-S918B Build/UP1A.231005.007)'],
  ['a mail program on iOS', 'Mail/3826.600.51 CFNetwork/3826.600.41 Darwin/24.6.0'],
  [
    'the browser inside WhatsApp',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36 WhatsApp/2.25.30.75',
  ],
  [
    'the browser inside Facebook',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/530.0.0.50.77;FBBV/789;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/18.6;FBSS/3;FBID/phone;FBLC/en_GB;FBOP/5]',
  ],
  ['a text browser', 'Lynx/2.9.2 libwww-FM/2.14 SSL-MM/1.4.1 OpenSSL/3.0.15'],
];

const MACHINES: readonly [who: string, userAgent: string | null][] = [
  ['no user agent', null],
  ['an empty user agent', ''],
  ['a user agent of spaces', '  '],
  ['Apple Mail Privacy Protection', 'Mozilla/5.0'],
  ['curl', 'curl/8.15.0'],
  ['Wget', 'Wget/1.25.0'],
  ['requests', 'python-requests/2.32.5'],
  ['urllib', 'Python-urllib/3.13'],
  ['aiohttp', 'Python/3.12 aiohttp/3.12.15'],
  ['Go', 'Go-http-client/2.0'],
  ['fetch of Node', 'node'],
  ['axios', 'axios/1.12.2'],
  ['Java', 'Java/21.0.8'],
  ['HttpClient', 'Apache-HttpClient/5.5 (Java/21.0.8)'],
  ['Perl', 'libwww-perl/6.79'],
  ['Guzzle', 'GuzzleHttp/7'],
  ['Windows', 'Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)'],
  ['PowerShell', 'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.26100.6584'],
  [
    'a headless browser',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/153.0.8010.0 Safari/537.36',
  ],
  [
    'bingbot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36',
  ],
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['Slack', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ["Slack's images", 'Slack-ImgProxy (+https://api.slack.com/robots)'],
  ['Facebook', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  ['Facebook without the URL of its crawler', 'facebookexternalhit/1.1'],
  ['WhatsApp', 'WhatsApp/2.23.20.0 A'],
  ['Telegram', 'TelegramBot (like TwitterBot)'],
  ['Discord', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
  ['LinkedIn', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'],
  ['Skype and Teams', 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5'],
  [
    'a preview of Bing',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  ],
  ['Office before it opens a link', 'Microsoft Office Existence Discovery'],
  ['Barracuda', 'BarracudaCentral-URL-Scanner'],
  ['Proofpoint', 'Mozilla/5.0 (compatible; Proofpoint URL Defense)'],
  ['Mimecast', 'Mimecast-URL-Protect/1.0'],
  [
    'an unknown crawler that names its page',
    'Mozilla/5.0 (compatible; Unknown/1.0; +https://unknown.example/about)',
  ],
];

describe("a request counts as a person's if it comes from", () => {
  for (const [source, userAgent] of PEOPLE) {
    it(source, () => assert.equal(isMachine({ userAgent, purposes: [] }), false));
  }
});

describe("a request counts as a machine's if it comes from", () => {
  for (const [source, userAgent] of MACHINES) {
    it(source, () => assert.equal(isMachine({ userAgent, purposes: [] }), true));
  }
});

describe('a browser that loads a page ahead of its reader', () => {
  const userAgent = PEOPLE[0]?.[1] ?? '';
  for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip', 'preview']) {
    it(`a browser request with the purpose ${purpose} is a machine`, () =>
      assert.equal(isMachine({ userAgent, purposes: [purpose] }), true));
  }

  it('a browser request with any other purpose is not a machine', () =>
    assert.equal(isMachine({ userAgent, purposes: ['', 'other'] }), false));
});

it('isMachine checks a user agent of maximum length in bounded time', () => {
  const longest = fc
    .constantFrom('b', 'bot', 'WhatsApp', '+http', 'Mozilla/5.0 ', ' ', 'cu')
    .map((text) => text.repeat(16_384 / text.length));
  fc.assert(
    fc.property(longest, (userAgent) => {
      const usedMs = processorClock();
      isMachine({ userAgent, purposes: [userAgent] });
      assert.ok(usedMs() < 1_000);
    }),
    { numRuns: 50 },
  );
});
