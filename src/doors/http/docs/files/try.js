// Lets users run read operations on a page with their dashboard session. The only operation that changes anything sends a test email to the
// user.
import { addCopyButton } from './script.js';

/** Maximum characters of a response that are shown. Longer responses are truncated. */
const MAX_CHARACTERS = 20_000;

/** @param place the root URL, the session, and a function that returns the id of the selected project */
export function addTries(place) {
  for (const example of document.querySelectorAll('.example[data-try]'))
    example.append(tryOf(example, place));
}

const isSending = (path) => path.endsWith('/test-email');

function tryOf(example, place) {
  const { try: path } = example.dataset;
  const form = document.createElement('form');
  form.className = 'try';
  const button = document.createElement('button');
  button.className = 'button';
  button.textContent = isSending(path) ? 'Send a test email' : 'Try it';
  const words = document.createElement('span');
  words.className = 'muted';
  words.setAttribute('role', 'status');
  words.textContent = isSending(path)
    ? `Sent only to ${place.session.user.email}.`
    : "Uses the dashboard's API with your session. Responses may have more fields.";
  const [, named] = /\{(?!project\})(\w+)\}/.exec(path) ?? [];
  const id = named === undefined ? null : field(named);
  if (id !== null) form.append(id);
  form.append(button, words);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const filled = path
      .replace('{project}', () => place.project())
      .replace(`{${named}}`, () => encodeURIComponent(id?.value.trim() ?? ''));
    try {
      const url = `${place.root}dashboard/api${filled}`;
      const answer = await (isSending(path) ? send(url, place.session) : fetch(url));
      const text = await answer.text();
      const what = isSending(path)
        ? '. You can find it in the dashboard under Emails'
        : ', including fields that only the dashboard has';
      words.textContent = `${answer.status}${answer.ok ? what : ''}:`;
      show(form, text);
    } catch {
      words.textContent = 'No response. Check your connection, then try again.';
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

/** Sends a test email. Each click sends a new email. */
function send(url, { csrf_token }) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrf_token },
    body: JSON.stringify({ key: crypto.randomUUID?.() ?? String(Math.random()).replace('.', '-') }),
  });
}

function field(name) {
  const input = document.createElement('input');
  input.required = true;
  input.placeholder = name;
  input.setAttribute('aria-label', `The ${name} to fetch`);
  return input;
}

function show(form, text) {
  form.querySelector('.code')?.remove();
  const block = document.createElement('div');
  block.className = 'code';
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = document.createElement('code');
  const whole = pretty(text);
  code.textContent = whole.length > MAX_CHARACTERS ? `${whole.slice(0, MAX_CHARACTERS)}\n… and more` : whole;
  pre.append(code);
  block.append(pre);
  form.append(block);
  addCopyButton(block);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
