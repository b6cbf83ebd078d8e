/** The pages that recipients see. Each page is a constant, so no part of a request can appear in a page. */
import { createHash } from 'node:crypto';
import { type Html, html } from '../html.ts';
import { ONE_CLICK_FIELD } from './one-click.ts';

const STYLE = `
:root { color-scheme: light dark; --page: #fff; --text: #1b2027; --action: #0a58a8; --on-action: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161b; --text: #e4e8ed; --action: #7db8ff; --on-action: #12161b; }
}
body { margin: 0; background: var(--page); color: var(--text); font: 1.125rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.25; }
p { margin: 0 0 1.5rem; }
button {
  padding: 0.75rem 1.5rem; border: 0; border-radius: 0.375rem; background: var(--action); color: var(--on-action);
  font: inherit; font-weight: 600; cursor: pointer;
}
button:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; }
`;

/** The page loads nothing, runs no script and cannot be framed. Attack: a user unknowingly clicks a button in an invisible frame. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
} as const;

/** The form posts to the URL of its own page, so that the form also works behind a proxy that adds a path prefix. */
const FORM = html`<form method="post">
<input type="hidden" name="${ONE_CLICK_FIELD.name}" value="${ONE_CLICK_FIELD.value}">
<button>Unsubscribe</button>
</form>`;

export const PAGES = {
  unsubscribe: page(
    'Unsubscribe?',
    'You will get no more email from this sender, not even receipts and notices.',
    FORM,
  ),
  unsubscribed: page(
    'You are unsubscribed',
    'You will get no more email from this sender. Email that was already sent may still arrive.',
  ),
  notUnsubscribed: page(
    'You are still subscribed',
    'Something went wrong on our side. Please try again in a few seconds.',
    FORM,
  ),
  notOneClick: page(
    'Nothing has changed',
    'That was not a request to unsubscribe. To stop all email from this sender, press the button.',
    FORM,
  ),
  notFound: page(
    'This link does not work',
    'It may be incomplete. Go back to the email and try the link there.',
  ),
} as const;

function page(title: string, text: string, action: Html | null = null): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${action}</main>
</body>
</html>
`.toString();
}
