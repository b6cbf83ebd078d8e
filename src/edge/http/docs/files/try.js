// Tries on a page what its examples read, with the session of the dashboard: nothing here changes anything.
import { addCopyButton } from './script.js';

/** What is shown of a long answer. */
const MAX_CHARACTERS = 20_000;

/** @param project tells which one is chosen */
export function addTries(root, project) {
  for (const example of document.querySelectorAll('.example[data-try]'))
    example.append(tryOf(example, root, project));
}

function tryOf(example, root, project) {
  const { try: path } = example.dataset;
  const form = document.createElement('form');
  form.className = 'try';
  const button = document.createElement('button');
  button.className = 'button';
  button.textContent = 'Try it';
  const words = document.createElement('span');
  words.className = 'muted';
  words.setAttribute('role', 'status');
  words.textContent = 'Asks the dashboard, as you.';
  const [, named] = /\{(?!project\})(\w+)\}/.exec(path) ?? [];
  const id = named === undefined ? null : field(named);
  if (id !== null) form.append(id);
  form.append(button, words);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const filled = path
      .replace('{project}', () => project())
      .replace(`{${named}}`, () => encodeURIComponent(id?.value.trim() ?? ''));
    try {
      const answer = await fetch(`${root}dashboard/api${filled}`);
      const text = await answer.text();
      words.textContent = `${answer.status}${answer.ok ? ', with what the dashboard shows beside it' : ''}:`;
      show(form, text);
    } catch {
      words.textContent = 'No answer came. Look at the connection, and try again.';
    } finally {
      button.disabled = false;
    }
  });
  return form;
}

function field(name) {
  const input = document.createElement('input');
  input.required = true;
  input.placeholder = name;
  input.setAttribute('aria-label', `The ${name} of what is fetched`);
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
