// The inbox of `posthorn dev`: a list that is always current, and one email beside it.
const PAGE = 50;
const at = (id) => document.getElementById(id);
const list = at('list');
const state = { query: '', shown: PAGE, openId: null, mail: null, part: null };

async function load(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.json();
}

/** An element with text and attributes. Text of emails is only ever set as text. */
function element(name, text = '', attributes = {}) {
  const made = document.createElement(name);
  if (text !== '') made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const written = ({ Name, Address }) => (Name === '' ? Address : `${Name} <${Address}>`);
const numbers = new Intl.NumberFormat('en');
const sizeOf = (bytes) =>
  bytes < 1024 ? `${bytes} bytes` : `${numbers.format(Math.round(bytes / 1024))} KB`;
const isToday = (date) => date.toDateString() === new Date().toDateString();
const times = {
  today: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }),
  before: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
  full: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
};

function row(mail) {
  const created = new Date(mail.Created);
  const item = element('li');
  const link = element('a', '', { href: `#${mail.ID}` });
  const time = element('time', times[isToday(created) ? 'today' : 'before'].format(created), {
    datetime: mail.Created,
  });
  const recipients = [...mail.To, ...mail.Cc, ...mail.Bcc].map(({ Address }) => Address);
  link.append(
    element('span', mail.From.Name || mail.From.Address, { class: 'from' }),
    time,
    element('span', mail.Subject || 'No subject', { class: 'subject' }),
    element(
      'span',
      `To ${recipients.join(', ')}${mail.Attachments > 0 ? ` · ${mail.Attachments} ${mail.Attachments === 1 ? 'file' : 'files'}` : ''}`,
      { class: 'to' },
    ),
  );
  if (mail.ID === state.openId) link.setAttribute('aria-current', 'true');
  item.append(link);
  return item;
}

let newest = '';

async function refresh() {
  const search = state.query === '' ? 'messages?' : `search?query=${encodeURIComponent(state.query)}&`;
  const found = await load(`/api/v1/${search}limit=${state.shown}`);
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  list.replaceChildren(...found.messages.map(row));
  if (focused !== null) list.querySelector(`a[href="${focused}"]`)?.focus();
  const isSearch = state.query !== '';
  at('count').textContent = numbers.format(found.messages_count);
  at('empty').hidden = found.total > 0;
  at('none').hidden = found.total === 0 || found.messages.length > 0;
  at('search').hidden = found.total === 0;
  at('delete').hidden = found.total === 0 || isSearch;
  at('more').hidden = found.messages_count <= found.messages.length;
  if (isSearch)
    at('status').textContent =
      `${found.messages_count} ${found.messages_count === 1 ? 'email' : 'emails'} found`;
  else newest = found.messages[0]?.ID ?? newest;
  return found;
}

/** Each request waits for the next email. After a failure, such as a restart, the list is read again. */
async function follow() {
  for (;;) {
    try {
      const response = await fetch(`/dev/messages/wait?timeout=50${newest === '' ? '' : `&since=${newest}`}`);
      if (response.status === 200) {
        const mail = await response.json();
        newest = mail.id;
        at('status').textContent = `New email: ${mail.subject}`;
        await refresh();
      } else if (response.status !== 404) throw new Error(`status ${response.status}`);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await refresh().catch(() => {});
    }
  }
}

function facts(mail, recipients) {
  const shown = [
    ['From', written(mail.From)],
    ['To', mail.To.map(written).join(', ')],
    ['Cc', mail.Cc.map(written).join(', ')],
    ['Bcc', mail.Bcc.map(written).join(', ')],
    ['Reply to', mail.ReplyTo.map(written).join(', ')],
    ['Date', times.full.format(new Date(mail.Date))],
    [
      'Outcome',
      recipients
        .map(({ address, status }) => (recipients.length === 1 ? status : `${address}: ${status}`))
        .join(', '),
    ],
  ];
  return shown
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => [element('dt', name), element('dd', value)]);
}

const PARTS = {
  html: (mail) =>
    mail.HTML === ''
      ? [element('p', 'This email has no HTML.')]
      : [
          element('iframe', '', {
            src: `/view/${mail.ID}.html?embed=1`,
            title: 'The email',
            sandbox: 'allow-popups allow-popups-to-escape-sandbox',
          }),
        ],
  text: (mail) => [mail.Text === '' ? element('p', 'This email has no text.') : element('pre', mail.Text)],
  files: (mail) => {
    const files = [...mail.Attachments, ...mail.Inline];
    if (files.length === 0) return [element('p', 'This email has no files.')];
    const items = files.map((file) => {
      const item = element('li');
      const href = `/api/v1/message/${mail.ID}/part/${file.PartID}`;
      item.append(
        element('a', file.FileName || file.ContentID || 'Unnamed file', { href, download: file.FileName }),
        element('span', `${file.ContentType} · ${sizeOf(file.Size)}`),
      );
      return item;
    });
    const all = element('ul', '', { class: 'files' });
    all.append(...items);
    return [all];
  },
  headers: async (mail) => {
    const shown = element('dl', '', { class: 'headers' });
    for (const [name, values] of Object.entries(await load(`/api/v1/message/${mail.ID}/headers`)))
      for (const value of values) shown.append(element('dt', name), element('dd', value));
    return [shown];
  },
  source: async (mail) => {
    const path = `/api/v1/message/${mail.ID}/raw`;
    const text =
      mail.Size > 1_000_000 ? 'The source is too long to show here.' : await (await fetch(path)).text();
    return [
      element('a', 'Download the source', { class: 'button', href: `${path}?dl=1` }),
      element('pre', text),
    ];
  },
};

async function showPart(part) {
  state.part = part;
  const { mail } = state;
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const isChosen = tab.dataset.part === part;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  at('panel').setAttribute('aria-labelledby', `tab-${part}`);
  const content = await PARTS[part](mail);
  if (state.mail === mail && state.part === part) at('panel').replaceChildren(...content);
}

async function open() {
  const id = location.hash.slice(1);
  state.openId = id === '' || id === 'list' ? null : id;
  for (const link of list.querySelectorAll('a')) {
    if (link.hash === location.hash) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  if (state.openId === null) return close();
  try {
    const [mail, { recipients }] = await Promise.all([
      load(`/api/v1/message/${id}`),
      load(`/dev/messages/${id}`),
    ]);
    if (state.openId !== id) return;
    state.mail = mail;
    at('subject').textContent = mail.Subject || 'No subject';
    at('facts').replaceChildren(...facts(mail, recipients));
    at('open').href = `/dev/dashboard?to=/dashboard/emails/${id}`;
    const files = mail.Attachments.length + mail.Inline.length;
    at('tab-files').textContent = files === 0 ? 'Files' : `Files (${files})`;
    at('message').hidden = false;
    document.body.classList.add('reading');
    await showPart(mail.HTML === '' ? 'text' : 'html');
    at('subject').focus();
  } catch (error) {
    at('status').textContent = error.message;
    location.hash = '';
  }
}

function close() {
  const id = state.mail?.ID;
  state.mail = null;
  at('message').hidden = true;
  document.body.classList.remove('reading');
  list.querySelector(`a[href="#${id}"]`)?.focus();
}

at('back').addEventListener('click', () => {
  location.hash = '';
});
at('more').addEventListener('click', () => {
  state.shown += PAGE;
  void refresh();
});
at('search').addEventListener('submit', (event) => event.preventDefault());
at('query').addEventListener('input', () => {
  state.query = at('query').value.trim();
  state.shown = PAGE;
  void refresh();
});
at('delete').addEventListener('click', () => at('confirm').showModal());
at('confirm').addEventListener('close', async () => {
  if (at('confirm').returnValue !== 'delete') return;
  await fetch('/dev/messages', { method: 'DELETE' });
  location.hash = '';
  await refresh();
  at('status').textContent = 'All emails are deleted';
});
const tabs = [...document.querySelectorAll('[role=tab]')];
for (const [place, tab] of tabs.entries()) {
  tab.addEventListener('click', () => void showPart(tab.dataset.part));
  tab.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    next.focus();
    void showPart(next.dataset.part);
  });
}
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && state.openId !== null && !at('confirm').open) location.hash = '';
});
window.addEventListener('hashchange', () => void open());

await refresh();
void open();
void follow();
