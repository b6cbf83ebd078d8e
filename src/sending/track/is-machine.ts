/**
 * Whether a request itself says that no person made it. Most scanners pretend to be a browser, and nothing here sees through
 * that: `false` means that there is no sign of a machine. The speed of a request is no sign: people are fast, too.
 */

/** What a request says about its maker. */
export interface RequestFacts {
  /** Null: there is none. */
  userAgent: string | null;
  /** The values of `Sec-Purpose`, `Purpose`, `X-Purpose` and `X-Moz`, as many as there are. */
  purposes: readonly string[];
}

/** The browser loads it in advance; the reader may never look at it. */
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** The whole user agent of Apple's Mail Privacy Protection, which loads images whether the message is read or not. */
const APPLE_PRIVACY = 'Mozilla/5.0';

/**
 * Servers that load an image when a person looks at the message, and not before: the proxies of Gmail, whose name looks
 * like a crawler's, and of Yahoo.
 */
const PERSONS_PROXY = /\b(?:GoogleImageProxy|YahooMailProxy)\b/;

const MACHINES: readonly RegExp[] = [
  // Crawlers: bingbot, Googlebot, Slackbot, Twitterbot, ... A phone is called CUBOT.
  /(?<!cu)bots?\b|crawl|spider|\bslurp\b|\bfacebot/i,
  // Machines often name a page about themselves.
  /\+https?:\/\//i,
  // Previews of links. WhatsApp's own browser has its name further on.
  /facebookexternalhit|facebookcatalog|^WhatsApp\/|Slack-ImgProxy|SkypeUriPreview|BingPreview|Google Web Preview/i,
  // Office looks at a link before it opens it.
  /Microsoft Office (?:Existence|Protocol) Discovery/i,
  // Filters in front of mailboxes, as far as they give their name.
  /Barracuda|Proofpoint|Mimecast|Symantec|MessageLabs|IronPort|FireEye|FortiMail|Cloudmark|SafeLinks|VirusTotal|urlscan/i,
  // HTTP libraries and tools. Not okhttp, CFNetwork and Dalvik: mail programs on phones load images with these.
  /^(?:curl|libcurl|Wget|HTTPie|PostmanRuntime|Java|Apache-HttpClient|libwww-perl|lwp-trivial|Go-http-client|Ruby|Faraday)\b/i,
  /^(?:python|aiohttp|httpx|Scrapy|node|node-fetch|axios|got|undici|Deno|Bun|PHP|GuzzleHttp|Typhoeus|rest-client|reqwest)\b/i,
  /\b(?:python-requests|WinHttpRequest|WindowsPowerShell)\b/i,
  // Browsers without a window.
  /Headless|PhantomJS|Puppeteer|Playwright|Selenium|Lighthouse/i,
];

export function isMachine({ userAgent, purposes }: RequestFacts): boolean {
  if (purposes.some((purpose) => AHEAD.test(purpose))) return true;
  const name = (userAgent ?? '').trim();
  if (name === '' || name === APPLE_PRIVACY) return true;
  return !PERSONS_PROXY.test(name) && MACHINES.some((machine) => machine.test(name));
}
