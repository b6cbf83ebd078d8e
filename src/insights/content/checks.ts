/** Checks of an email's content: problems to fix before more emails of the same kind are sent. */
import type { Check, CheckResult, InspectedContent, Link, Signature } from './content.ts';
import type { HtmlOutline } from '../../rfc/html/read-html.ts';
import {
  hasUnsubscribePlaceholder,
  UNSUBSCRIBE_PLACEHOLDER,
} from '../../sending/track/unsubscribe-placeholder.ts';

/** The number of octets of a message's HTML that Gmail shows, before a link to the whole message. */
const GMAIL_CLIPS = 102 * 1_024;
const NEAR_CLIPPING = 0.8;
const MAX_ITEMS = 20;
const MAX_ITEM = 300;
/** Matches placeholders of template languages that were not replaced. */
const LEFT_OVER =
  /\{\{[^{}\n]{0,80}\}\}|\{%[^{}\n]{0,80}%\}|\$\{[\w.]{1,80}\}|\*\|[\w:]{1,80}\|\*|\[object Object\]/g;

/** The HTML and the text contain a sample link instead of the placeholder of the unsubscribe link. */
export interface CheckedContent extends InspectedContent {
  /** The number of octets of the HTML part in the sent message. */
  htmlOctets: number;
  outline: HtmlOutline;
  links: readonly Link[];
  signatures: readonly Signature[];
  hasUnsubscribe: boolean;
  hasOneClick: boolean;
}

/** The checks in the order in which the page shows them: problems first. */
export function checksOf(content: CheckedContent): Check[] {
  const checks = [
    subject(content),
    leftOvers(content),
    links(content),
    ...(content.html === null ? [] : [clipping(content), altTexts(content)]),
    ...(content.outline.images.length === 0 ? [] : [images(content)]),
    parts(content),
    ...(content.raw === null ? [] : [signed(content)]),
    ...(content.isBulk ? [unsubscribe(content)] : []),
  ];
  const order: readonly CheckResult[] = ['problem', 'warning', 'note', 'pass'];
  return checks.sort((one, other) => order.indexOf(one.result) - order.indexOf(other.result));
}

function check(
  name: string,
  result: CheckResult,
  title: string,
  advice: string | null = null,
  items: Iterable<string> = [],
): Check {
  const first = [...new Set(items)].slice(0, MAX_ITEMS).map((item) => item.slice(0, MAX_ITEM));
  return { name, result, title, advice, items: first };
}

function subject({ subject }: CheckedContent): Check {
  return subject.trim() === ''
    ? check('subject', 'warning', 'The email has no subject.', 'Recipients and spam filters expect one.')
    : check('subject', 'pass', 'The email has a subject.');
}

function leftOvers({ subject, html, text }: CheckedContent): Check {
  const found = [subject, html ?? '', text ?? ''].flatMap((part) =>
    [...part.matchAll(LEFT_OVER)].map(([whole]) => whole),
  );
  return found.length === 0
    ? check('left-overs', 'pass', 'All template variables have values.')
    : check(
        'left-overs',
        'problem',
        'Some template variables have no value.',
        found.some((whole) => hasUnsubscribePlaceholder({ text: whole }))
          ? `Recipients see them exactly as listed here. Posthorn does not replace ${UNSUBSCRIBE_PLACEHOLDER} in the subject, and replaces it at most 100 times each in the HTML and the text.`
          : 'Recipients see them exactly as listed here.',
        found,
      );
}

function links({ links }: CheckedContent): Check {
  const insecure = 'It is not https.';
  const broken = links.filter(({ problem }) => problem !== null && problem !== insecure);
  const item = ({ url, problem }: Link): string =>
    `${url === '' ? '(empty)' : url.slice(0, 200)}: ${problem ?? ''}`;
  if (broken.length > 0)
    return check(
      'links',
      'problem',
      `${count(broken.length, 'link is', 'links are')} not well formed.`,
      null,
      broken.map(item),
    );
  const plain = links.filter(({ problem }) => problem !== null);
  if (plain.length > 0)
    return check(
      'links',
      'note',
      `${count(plain.length, 'link is', 'links are')} not https.`,
      'Browsers warn about such pages.',
      plain.map(({ url }) => url),
    );
  return check(
    'links',
    'pass',
    links.length === 0 ? 'The email has no links.' : 'All links are well formed.',
  );
}

function clipping({ htmlOctets }: CheckedContent): Check {
  const size = `The HTML is ${kilobytes(htmlOctets)}. Gmail clips messages over 102 KB.`;
  const advice = 'Gmail cuts off the rest, including the unsubscribe link and the tracking pixel at the end.';
  if (htmlOctets > GMAIL_CLIPS) return check('gmail-clipping', 'warning', size, advice);
  if (htmlOctets > GMAIL_CLIPS * NEAR_CLIPPING) return check('gmail-clipping', 'note', size, advice);
  return check('gmail-clipping', 'pass', size);
}

function altTexts({ outline: { images } }: CheckedContent): Check {
  const without = images.filter(({ alt }) => alt === null);
  if (without.length > 0)
    return check(
      'alt-texts',
      'warning',
      `${count(without.length, 'image has', 'images have')} no alternative text.`,
      'Recipients whose mail app blocks images see nothing in place of the images. For decorative images, use alt="".',
      without.map(({ src }) => (src === '' ? '(no URL)' : src)),
    );
  return check(
    'alt-texts',
    'pass',
    images.length === 0 ? 'The email has no images.' : 'All images have alternative texts.',
  );
}

function images({ outline: { images } }: CheckedContent): Check {
  const found = images.flatMap(({ src }) => {
    const problem = imageProblem(src);
    return problem === null ? [] : [`${src.slice(0, 120) || '(no URL)'}: ${problem}`];
  });
  return found.length === 0
    ? check('images', 'pass', 'Mail apps can load all images.')
    : check('images', 'warning', 'Some mail apps do not show some of the images.', null, found);
}

function imageProblem(src: string): string | null {
  if (/^https:\/\/[^/]/i.test(src)) return null;
  if (/^http:\/\/[^/]/i.test(src)) return 'not https, so some apps do not load it';
  if (/^cid:/i.test(src)) return 'refers to a part that is missing from the message';
  if (/^data:/i.test(src)) return 'Gmail and Outlook do not show images that are embedded in the HTML';
  return 'not a web address';
}

function parts({ html, text }: CheckedContent): Check {
  if (html === null)
    return check(
      'parts',
      'note',
      'The email has only text.',
      'That is fine for a notification. Opens and clicks cannot be counted.',
    );
  if (text === null)
    return check(
      'parts',
      'note',
      'No text was given.',
      'Posthorn generated the text part from the HTML, because spam filters expect one. Write your own text part for a better result.',
    );
  return check('parts', 'pass', 'The email has a text and an HTML part.');
}

function signed({ signatures }: CheckedContent): Check {
  return signatures.some(({ isAligned }) => isAligned)
    ? check('signature', 'pass', 'The email is signed by the domain of the sender (DKIM).')
    : check(
        'signature',
        'problem',
        'The email is not signed by the domain of the sender (DKIM).',
        'Gmail and Yahoo reject many unsigned emails.',
      );
}

function unsubscribe({ hasUnsubscribe, hasOneClick }: CheckedContent): Check {
  if (hasUnsubscribe && hasOneClick)
    return check('unsubscribe', 'pass', 'Recipients can unsubscribe with one click in their mail app.');
  return check(
    'unsubscribe',
    'warning',
    hasUnsubscribe
      ? 'Recipients cannot unsubscribe with one click.'
      : 'The email is bulk mail without List-Unsubscribe.',
    `Gmail and Yahoo require it in bulk mail. Add ${UNSUBSCRIBE_PLACEHOLDER} to the email, and Posthorn adds the header fields.`,
  );
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function kilobytes(octets: number): string {
  return `${(octets / 1_024).toLocaleString('en', { maximumFractionDigits: octets < 10_240 ? 1 : 0 })} KB`;
}
