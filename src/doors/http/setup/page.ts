/** `/mail/setup` shows the settings that a user enters in a mail app. The page works without scripts. */
import {
  hostOf,
  isLocalAlone,
  type MailAccess,
  type MailService,
} from '../../../rfc/mail-setup/mail-access.ts';
import { mobileconfig } from '../../../rfc/mail-setup/mobileconfig.ts';
import { type Html, html } from '../html.ts';
import { layout } from '../page/layout.ts';
import { contentSecurityPolicy, HTML_TYPE } from '../page/page-headers.ts';
import { qrCode } from '../../../rfc/html/qr-code.ts';

export type SetupPage =
  | { state: 'empty' }
  /** The input is not an address (`malformed`), or this service receives no mail for its domain (`unknown`). */
  | { state: 'malformed' | 'unknown'; typed: string }
  /** `url` is the URL of this page with the address filled in, for another device. */
  | { state: 'found'; address: string; url: string };

export const SETUP_HEADERS = {
  'content-type': HTML_TYPE,
  // The form submits to this page, so the policy must allow forms.
  'content-security-policy': contentSecurityPolicy("'self'"),
  'referrer-policy': 'no-referrer',
} as const;

const PROTOCOLS = {
  imap: 'Incoming mail (IMAP)',
  pop3: 'Incoming mail (POP3)',
  submission: 'Outgoing mail (SMTP)',
} as const satisfies Record<MailService['protocol'], string>;

const SECURITIES = {
  tls: 'SSL/TLS',
  starttls: 'STARTTLS',
  none: 'none: only on the server machine itself',
} as const satisfies Record<MailService['security'], string>;

const ERRORS = {
  malformed: 'This is not an email address. Enter the whole address, such as name@example.com.',
  unknown:
    'This server receives no mail for this domain. Check the address for typos. If it is correct, ask your administrator: the domain may not be verified yet.',
} as const;

export async function setupPage(page: SetupPage, access: MailAccess): Promise<string> {
  const typed = page.state === 'empty' ? '' : page.state === 'found' ? page.address : page.typed;
  const error = page.state === 'malformed' || page.state === 'unknown' ? ERRORS[page.state] : null;
  return layout({
    title: 'Set up a mail app',
    description: 'The mail app settings for an address on this server.',
    root: '../',
    menu: null,
    contents: null,
    links: null,
    content: html`<p class="lead">Enter your address to see the settings for your mail app. ${
      isLocalAlone(access)
        ? null
        : 'Many apps find these settings on their own: add an account with your address and its password.'
    }</p>
<form class="ask" method="get" action="./setup">
<label for="address">Address</label>
<div class="row">
<input id="address" name="address" type="text" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" maxlength="320" required value="${typed}"${
      error === null ? null : html` aria-invalid="true" aria-describedby="fault"`
    }>
<button>Show settings</button>
</div>
${error === null ? null : html`<p class="fault" id="fault" role="alert">${error}</p>\n`}</form>
${page.state === 'found' ? await settings(page, access) : null}`,
  });
}

/** A QR code. Black on white in every color scheme, because phones read no other colors. Null if the URL is too long. */
async function pictureOf(url: string): Promise<Html | null> {
  const code = await qrCode(url);
  if (code === null) return null;
  const { size, path } = code;
  return html`<svg class="qr" role="img" aria-label="QR code of this page" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"></rect><path d="${path}"></path></svg>
`;
}

async function settings(
  { address, url }: { address: string; url: string },
  access: MailAccess,
): Promise<Html> {
  const { services } = access;
  if (services.length === 0) return NO_SERVICES;
  const isLocal = isLocalAlone(access);
  // Phones cannot sign in to a server that accepts sign-ins only from its own machine, so show no QR code.
  const code = isLocal ? null : await pictureOf(url);
  const tables = (['imap', 'submission', 'pop3'] as const).map((protocol) =>
    serviceSection(
      protocol,
      hostOf(access),
      services.filter((service) => service.protocol === protocol),
    ),
  );
  const hasProfile = mobileconfig(address, access) !== null;
  return html`${isLocal ? NO_CERTIFICATE : null}<section aria-labelledby="account">
<h2 id="account">Your account</h2>
<dl class="settings">
<div><dt>User name</dt> <dd><code>${address}</code></dd></div>
<div><dt>Password</dt> <dd>your mailbox password or an app password</dd></div>
</dl>
<p class="rules">You cannot sign in with an alias. If this address is an alias, use the address of your mailbox.</p>
</section>
${tables}${
  hasProfile
    ? html`<section aria-labelledby="apple">
<h2 id="apple">iPhone, iPad and Mac</h2>
<p><a href="./setup/${encodeURIComponent(address)}.mobileconfig">Download the profile</a>, open it, and confirm it in the device's settings. It contains no password; you will be asked for it.</p>
</section>
`
    : null
}${
  code === null
    ? null
    : html`<section aria-labelledby="phone">
<h2 id="phone">On a phone</h2>
<p>Scan the code to open this page there.</p>
${code}</section>
`
}`;
}

/** Shown on a trial server whose ports change at each start. */
const NO_SERVICES = html`<p>This server has no fixed ports for mail apps. Its operator can set them: set POSTHORN_IMAP_PORT, POSTHORN_SUBMISSION_PORT and so on to numbers other than 0.</p>
`;

/** Shown on a server without a TLS certificate. The reader may not be the operator. */
const NO_CERTIFICATE = html`<section aria-labelledby="certificate">
<h2 id="certificate">On this machine only</h2>
<p>This server has no TLS certificate yet, so passwords cannot be sent to it over a network. Apps on the server machine itself work with the settings below, without encryption; phones and other computers cannot use them.</p>
<p>The server's operator can set up <a href="../docs/operate/certificates">a certificate</a> with POSTHORN_ACME=on, or with POSTHORN_TLS_CERT and POSTHORN_TLS_KEY. This page then shows the settings for all apps.</p>
</section>
`;

/** The section of one protocol. Null if the service does not offer the protocol. */
function serviceSection(
  protocol: MailService['protocol'],
  hostname: string,
  services: readonly MailService[],
): Html | null {
  const [best, ...others] = services;
  if (best === undefined) return null;
  return html`<section aria-labelledby="${protocol}">
<h2 id="${protocol}">${PROTOCOLS[protocol]}</h2>
<dl class="settings">
<div><dt>Server</dt> <dd><code>${hostname}</code></dd></div>
<div><dt>Port</dt> <dd><code>${best.port}</code></dd></div>
<div><dt>Security</dt> <dd>${SECURITIES[best.security]}</dd></div>
</dl>
${others.map(({ port, security }) => html`<p class="rules">Port <code>${port}</code> with ${SECURITIES[security]} works too.</p>\n`)}${
  protocol === 'pop3'
    ? html`<p class="rules">For apps without IMAP. POP3 only fetches the inbox.</p>\n`
    : null
}</section>
`;
}
