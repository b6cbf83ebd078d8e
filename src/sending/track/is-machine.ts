/**
 * Detects requests that identify themselves as automatic. Most scanners pretend to be a browser and are not recognized: `false` means that
 * the request shows no sign of a machine. The speed of a request is not a sign, because people are fast too.
 */

/** The headers of a request that describe its client. */
export interface RequestFacts {
  /** Null if the request has no User-Agent field. */
  userAgent: string | null;
  /** The values of the fields `Sec-Purpose`, `Purpose`, `X-Purpose` and `X-Moz`, as far as the request has them. */
  purposes: readonly string[];
}

/** Purposes of requests that a browser makes in advance, for pages that the user may never open. */
const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** The complete user agent of Apple's Mail Privacy Protection, which loads images whether or not the message is read. */
const APPLE_PRIVACY = 'Mozilla/5.0';

/**
 * Servers that load an image only when a person opens the message: the image proxies of Gmail, whose name looks like a crawler's name, and
 * of Yahoo.
 */
const PERSONS_PROXY = /\b(?:GoogleImageProxy|YahooMailProxy)\b/;

const MACHINES: readonly RegExp[] = [
  // Crawlers, such as bingbot, Googlebot, Slackbot and Twitterbot. CUBOT is a phone.
  /(?<!cu)bots?\b|crawl|spider|\bslurp\b|\bfacebot/i,
  // Many bots include the URL of a page about themselves.
  /\+https?:\/\//i,
  // Link previews. WhatsApp's own browser has the name too, but not at the beginning.
  /facebookexternalhit|facebookcatalog|^WhatsApp\/|Slack-ImgProxy|SkypeUriPreview|BingPreview|Google Web Preview/i,
  // Office sends a discovery request before it opens a link.
  /Microsoft Office (?:Existence|Protocol) Discovery/i,
  // Mail filters that identify themselves.
  /Barracuda|Proofpoint|Mimecast|Symantec|MessageLabs|IronPort|FireEye|FortiMail|Cloudmark|SafeLinks|VirusTotal|urlscan/i,
  // HTTP libraries and tools. okhttp, CFNetwork and Dalvik are left out, because mail apps on phones load images with them.
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
