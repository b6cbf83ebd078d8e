// The search over all pages. Opened with / or its button, and used with the arrow keys and Enter. The index is loaded on first use.
import { prepare, search } from './search.js';

let loading = null;
let parts = null;

/** @param typed what the reader typed while this file was loading */
export function openSearch(root, typed) {
  parts ??= build(root);
  const { dialog, input } = parts;
  if (!dialog.open) dialog.showModal();
  input.select();
  if (typed === '') return;
  input.value = typed;
  input.dispatchEvent(new Event('input'));
}

function build(root) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Search the documentation');
  const input = document.createElement('input');
  Object.assign(input, { type: 'search', placeholder: 'Search the documentation', autocomplete: 'off' });
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': 'Search',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
    spellcheck: 'false',
  }))
    input.setAttribute(name, value);
  const list = document.createElement('ul');
  list.className = 'found';
  list.id = 'found';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Search results');
  list.hidden = true;
  const note = document.createElement('p');
  note.className = 'note';
  note.setAttribute('role', 'status');
  dialog.append(input, list, note);
  document.body.append(dialog);
  let chosen = -1;

  const choose = (at) => {
    const links = [...list.querySelectorAll('a')];
    chosen = links.length === 0 ? -1 : (at + links.length) % links.length;
    for (const [place, link] of links.entries()) link.setAttribute('aria-selected', String(place === chosen));
    const link = links[chosen];
    if (link === undefined) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', link.id);
      link.scrollIntoView({ block: 'nearest' });
    }
  };

  const update = async () => {
    const query = input.value;
    loading ??= load(root);
    let sections;
    try {
      sections = await loading;
    } catch {
      loading = null;
      note.textContent = 'The search could not be loaded. Type again to retry.';
      return;
    }
    if (query !== input.value) return;
    const found = search(sections, query);
    list.replaceChildren(...found.map((each, at) => entry(each, at, root)));
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    choose(0);
    note.textContent =
      query.trim() === ''
        ? 'Search for an operation, a field, an error or a setting.'
        : found.length === 0
          ? 'No results. Try fewer or different words.'
          : '';
    note.hidden = found.length > 0;
  };

  input.addEventListener('input', update);
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') list.querySelectorAll('a')[chosen]?.click();
  });
  dialog.addEventListener('click', (event) => {
    // Close on a click outside the dialog, or on a link to a section of this page.
    if (event.target === dialog || event.target.closest('a') !== null) dialog.close();
  });
  void update();
  return { dialog, input };
}

async function load(root) {
  const answer = await fetch(`${root}docs/search.json`);
  if (!answer.ok) throw new Error(`search.json: ${answer.status}`);
  return prepare(await answer.json());
}

function entry({ path, title, group, id, heading, excerpt }, at, root) {
  const item = document.createElement('li');
  item.setAttribute('role', 'presentation');
  const link = document.createElement('a');
  link.id = `found-${at}`;
  link.setAttribute('role', 'option');
  link.tabIndex = -1;
  link.href = `${root}docs${path === '' ? '' : `/${path}`}${id === '' ? '' : `#${id}`}`;
  link.append(
    span('where', heading === '' ? group : `${group} › ${title}`),
    span('name', heading === '' ? title : heading),
  );
  const words = span('excerpt', '');
  for (const { text, isMatch } of excerpt) {
    if (!isMatch) words.append(text);
    else {
      const mark = document.createElement('mark');
      mark.textContent = text;
      words.append(mark);
    }
  }
  link.append(words);
  item.append(link);
  return item;
}

function span(name, text) {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}
