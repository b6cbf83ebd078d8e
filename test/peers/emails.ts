/** Emails of many kinds, as API clients write them, and the expected result of reading each email. */

/** The domains for which the receiving server accepts mail. */
export const DOMAINS = ['dst.test', 'xn--bcher-kva.test'];

type Person = [name: string, address: string];

export interface SampleEmail {
  /** The part of the test's name that follows "an email". */
  name: string;
  /** The fields of the request; `from`, `to` and `subject` have defaults. */
  email: Record<string, unknown> & {
    to?: string[];
    cc?: string[];
    bcc?: string[];
    subject?: string;
    html?: string;
    text?: string;
    headers?: Record<string, string>;
  };
  /** The names and addresses that a reader gets, if they differ from the bare addresses of the request. */
  people?: { from?: Person[]; to?: Person[]; cc?: Person[]; 'reply-to'?: Person[] };
  /** The addresses in the envelope, if their normal form differs from the request. */
  recipients?: string[];
  /** The text part of an email that has only HTML. */
  derivedText?: string;
}

export const DEFAULTS = {
  from: 'hello@posthorn.localhost',
  to: ['you@dst.test'],
  subject: 'Hello',
};

const LONG_SUBJECT = `Großartige Neuigkeiten 🎉 ${'für alle 👩‍👩‍👧‍👦 und 日本語, '.repeat(25)}Ende`;

const NAMES: Person[] = [
  ['Jane', 'jane@dst.test'],
  ['Doe, Jane', 'comma@dst.test'],
  ['Jane "JD" Doe \\ Sons', 'quotes@dst.test'],
  ["Conan O'Brien (sales) [eu]", 'specials@dst.test'],
  ['Jörg Müller', 'latin@dst.test'],
  ['山田 太郎', 'kanji@dst.test'],
  ['👩‍🚀 Space 🚀', 'emoji@dst.test'],
  ['=?UTF-8?Q?not_encoded?=', 'lookalike@dst.test'],
  ['mallory@evil.test', 'address@dst.test'],
  [`Dr. ${'Wolfeschlegelsteinhausenbergerdorff '.repeat(4)}Jr`, 'long@dst.test'],
  [`Ünï${' çødé'.repeat(40)}`, 'long-unicode@dst.test'],
];

const quoted = ([name, address]: Person): string => `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;

const MANY_HEADERS = Object.fromEntries([
  ...Array.from({ length: 40 }, (_, at) => [`X-Test-${at}`, `value ${at} ${'of some words '.repeat(at)}end`]),
  ['X-Unicode', `Zürich → ${'東京 '.repeat(40)}ok`],
  ['X-Long-Token', 'a'.repeat(300)],
  ['X-Lookalike', 'a =?UTF-8?Q?word?= b'],
  ['In-Reply-To', '<first@dst.test>'],
  [
    'References',
    Array.from({ length: 20 }, (_, at) => `<thread-${at}.${'r'.repeat(40)}@dst.test>`).join(' '),
  ],
  [
    'List-Unsubscribe',
    '<https://posthorn.localhost/u?id=1234567890>, <mailto:unsubscribe@posthorn.localhost>',
  ],
  ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
  ['Feedback-ID', 'campaign:customer:type:posthorn'],
]);

export const EMAILS: readonly SampleEmail[] = [
  { name: 'with plain text', email: { text: 'Hello,\n\nit works.\n' } },
  {
    name: 'with HTML only, which gets a text part',
    email: {
      html: '<h1>Hi</h1><p>Your <b>order</b> is <a href="https://posthorn.localhost/o">here</a>.</p>',
    },
    derivedText: 'Hi\n\nYour order is here (https://posthorn.localhost/o).',
  },
  {
    name: 'with text and HTML',
    email: {
      text: 'It works: 100 %.',
      html: '<p>It works: 100&nbsp;%.</p>\n<p style="color: #ff00ff">=3D</p>\n',
    },
  },
  { name: 'with a long subject with emoji', email: { subject: LONG_SUBJECT, text: 'Hi' } },
  { name: 'without a subject', email: { subject: '', text: 'Hi' } },
  {
    name: 'with display names of all kinds',
    email: {
      from: '"Acme, Inc. 🏭" <hello@posthorn.localhost>',
      to: NAMES.map(quoted),
      reply_to: '"Hilfe: Büro" <help@dst.test>',
      text: 'Hi',
    },
    people: {
      from: [['Acme, Inc. 🏭', 'hello@posthorn.localhost']],
      to: NAMES,
      'reply-to': [['Hilfe: Büro', 'help@dst.test']],
    },
    recipients: NAMES.map(([, address]) => address),
  },
  {
    name: 'with 10 kB of HTML in one line',
    email: { html: `<p>${'0123456789 <i>abc</i> ü; '.repeat(400)}</p>`, text: 'See the HTML.' },
  },
  {
    name: 'with lines that begin with dots',
    email: {
      text: '.\n..\n...\n.hidden\n\n.\nQUIT\n.\n',
      html: '<pre>\n.\n..\r\n.a\n.\n</pre>',
    },
  },
  {
    name: 'with lines that look like something else',
    email: {
      text: 'From here on\n>From there\n-- \nSubject: none\n',
      html: '<pre>\n--=_\n--\nFrom here on\n</pre>',
    },
  },
  {
    name: 'with space at the ends of lines and tabs',
    email: { text: 'trailing \ntab\t\n \n\t\n\n\nlast without line end ' },
  },
  {
    name: 'with a body in many scripts',
    email: {
      text: 'Grüße, Ελλάδα, Привет, שלום, مرحبا, 你好, नमस्ते, 😀\u2028\u00a0\u200b end\n',
      html: '<p>Grüße 你好 😀 \u00ad\u0301</p>',
    },
  },
  {
    name: 'with 600 kB of text',
    email: {
      text: Array.from({ length: 12_000 }, (_, at) => `Line ${at}: the quick brown fox, jumps over…\n`).join(
        '',
      ),
    },
  },
  {
    name: 'to several people, some of them in Cc and Bcc',
    email: {
      to: ['a@dst.test', 'B@DST.test', 'a@dst.test'],
      cc: ['Carol <carol@bücher.test>', '"with space"@dst.test'],
      bcc: ['secret-1@dst.test', 'Secret Two <secret-2@dst.test>'],
      text: 'Hi all',
    },
    people: {
      to: [
        ['', 'a@dst.test'],
        ['', 'B@dst.test'],
        ['', 'a@dst.test'],
      ],
      cc: [
        ['Carol', 'carol@xn--bcher-kva.test'],
        ['', '"with space"@dst.test'],
      ],
    },
    recipients: [
      'a@dst.test',
      'B@dst.test',
      'carol@xn--bcher-kva.test',
      '"with space"@dst.test',
      'secret-1@dst.test',
      'secret-2@dst.test',
    ],
  },
  {
    name: 'to an address with non-ASCII characters',
    email: { to: ['Jörg <jörg@dst.test>', '用户@bücher.test'], subject: 'Grüße', text: 'SMTPUTF8' },
    people: {
      to: [
        ['Jörg', 'jörg@dst.test'],
        ['', '用户@xn--bcher-kva.test'],
      ],
    },
    recipients: ['jörg@dst.test', '用户@xn--bcher-kva.test'],
  },
  {
    name: 'from a non-ASCII address, with a non-ASCII Bcc',
    email: { from: 'Größe <größe@posthorn.localhost>', bcc: ['été@dst.test'], text: 'SMTPUTF8' },
    people: { from: [['Größe', 'größe@posthorn.localhost']] },
  },
  { name: 'with 48 custom fields', email: { headers: MANY_HEADERS, text: 'Hi' } },
];
