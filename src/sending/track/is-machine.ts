/**
 * Detects requests that identify themselves as automatic. Most scanners pretend to be a browser and are not recognised:
 * `false` means that there is no sign of a machine. The speed of a request is no sign, because people are fast, too.
 */

/** The headers of a request that describe its client. */
export interface RequestFacts {
  /** Null if the request has none. */
  userAgent: string | null;
  /** The values of `Sec-Purpose`, `Purpose`, `X-Purpose` and `X-Moz` that the request has. */
  purposes: readonly string[];
}

/** Purposes of requests that a browser makes in advance, for pages that the user may never open. */
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** The complete user agent of Apple's Mail Privacy Protection, which loads images whether the message is read or not. */
const APPLE_PRIVACY = 'Mozilla/5.0';

/**
 * Servers that load an image only when a person opens the message: the proxies of Gmail, whose name looks like a
 * crawler's, and of Yahoo.
 */
const PERSONS_PROXY = /\b(?:GoogleImageProxy|YahooMailProxy)\b/;

const MACHINES: readonly RegExp[] = [
  // Crawlers: bingbot, Googlebot, Slackbot, Twitterbot, ... A phone is called CUBOT.
  /(?<!cu)bots?\b|crawl|spider|\bslurp\b|\bfacebot/i,
  // Bots often include the URL of a page about themselves.
  /\+https?:\/\//i,
  // Link previews. In WhatsApp's own browser the name is not at the beginning.
  /facebookexternalhit|facebookcatalog|^WhatsApp\/|Slack-ImgProxy|SkypeUriPreview|BingPreview|Google Web Preview/i,
  // Office requests a link before it opens it.
  /Microsoft Office (?:Existence|Protocol) Discovery/i,
  // Mail filters that identify themselves.
  /Barracuda|Proofpoint|Mimecast|Symantec|MessageLabs|IronPort|FireEye|FortiMail|Cloudmark|SafeLinks|VirusTotal|urlscan/i,
  // HTTP libraries and tools. Not okhttp, CFNetwork and Dalvik: mail apps on phones load images with these.
  /^(?:curl|libcurl|Wget|HTTPie|PostmanRuntime|Java|Apache-HttpClient|libwww-perl|lwp-trivial|Go-http-client|Ruby|Faraday)\b/i,
  /^(?:python|aiohttp|httpx|Scrapy|node|node-fetch|axios|got|undici|Deno|Bun|PHP|GuzzleHttp|Typhoeus|rest-client|reqwest)\b/i,
  /\b(?:python-requests|WinHttpRequest|WindowsPowerShell)\b/i,
  // Headless browsers.
  /Headless|PhantomJS|Puppeteer|Playwright|Selenium|Lighthouse/i,
];

export function isMachine({ userAgent, purposes }: RequestFacts): boolean {
  if (purposes.some((purpose) => AHEAD.test(purpose))) return true;
  const name = (userAgent ?? '').trim();
  if (name === '' || name === APPLE_PRIVACY) return true;
  return !PERSONS_PROXY.test(name) && MACHINES.some((machine) => machine.test(name));
}
