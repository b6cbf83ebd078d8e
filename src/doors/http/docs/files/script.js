// Adds copy buttons, language tabs, search and redirects of old anchors to the pages. The pages also work without this script.

const root = document.body.dataset.root;
const page = document.documentElement;

redirectOldAnchors();
openContents();
addCopyButtons();
addTabs();
addSearch();
addAccount();

/** Redirects the anchors from before 0.2, when the reference was one page. At each of them, the overview has a link to the new page. */
function redirectOldAnchors() {
  const follow = () => {
    const { hash } = location;
    if (!/^#(?:op|schema|errors|tag)-/.test(hash)) return;
    const target = document.getElementById(hash.slice(1));
    if (target === null) {
      if (document.querySelector('.menu a[aria-current]') === document.querySelector('.menu a'))
        location.replace(`${root}docs/api${hash}`);
    } else if (target.matches('a[href]')) location.replace(target.href);
  };
  addEventListener('hashchange', follow);
  follow();
}

/** Opens the list of contents if there is space beside the text. */
function openContents() {
  const contents = document.querySelector('.contents details');
  if (contents === null) return;
  const isWide = matchMedia('(min-width: 80rem)');
  const set = () => {
    contents.open = isWide.matches;
  };
  isWide.addEventListener('change', set);
  set();
}

function addCopyButtons() {
  // Browsers give no clipboard to a page that was loaded neither over https nor from this machine.
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('.code')) addCopyButton(block);
}

export function addCopyButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  const show = (isDone) => {
    button.classList.toggle('done', isDone);
    button.setAttribute('aria-label', isDone ? 'Copied' : 'Copy the code');
    button.title = isDone ? 'Copied' : 'Copy';
    button.replaceChildren(icon(isDone ? 'm3.5 8.5 3 3 6-7' : 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'));
  };
  show(false);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    show(true);
    setTimeout(() => show(false), 1500);
  });
  block.append(button);
}

/** An icon of 16 px, with strokes of 1.5 px. */
function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  for (const [name, value] of Object.entries({
    viewBox: '0 0 16 16',
    width: '16',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '1.5',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
    'aria-hidden': 'true',
  }))
    svg.setAttribute(name, value);
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** Adds language tabs. Choosing a tab applies to all examples on all pages. */
function addTabs() {
  const examples = [...document.querySelectorAll('.example')];
  const show = (language) => {
    page.dataset.language = language;
    for (const example of examples) {
      const tabs = [...example.querySelectorAll('[role=tab]')];
      const chosen = tabs.find((tab) => tab.dataset.language === language) ?? tabs[0];
      for (const tab of tabs) {
        tab.setAttribute('aria-selected', String(tab === chosen));
        tab.tabIndex = tab === chosen ? 0 : -1;
      }
    }
  };
  const choose = (tab) => {
    const before = tab.getBoundingClientRect().top;
    show(tab.dataset.language);
    // Examples above the tab may have grown or shrunk, so scroll to keep the tab at its position in the window.
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
    try {
      localStorage.setItem('posthorn-docs-language', tab.dataset.language);
    } catch {
      // Storage is disabled, so the choice applies only to this page.
    }
  };
  for (const example of examples) {
    const tabs = [...example.querySelectorAll('[role=tab]')];
    for (const panel of example.querySelectorAll('.panel')) {
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', `tab-${panel.id}`);
    }
    for (const [at, tab] of tabs.entries()) {
      tab.addEventListener('click', () => choose(tab));
      tab.addEventListener('keydown', (event) => {
        const last = tabs.length - 1;
        const to = {
          ArrowRight: at === last ? 0 : at + 1,
          ArrowLeft: at === 0 ? last : at - 1,
          Home: 0,
          End: last,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        choose(tabs[to]);
        tabs[to].focus();
      });
    }
  }
  show(page.dataset.language ?? 'curl');
}

function addSearch() {
  const button = document.querySelector('#page-search');
  if (button === null) return;
  /** The keys typed while the dialog loads. Null while it is not loading. */
  let typed = null;
  const open = async () => {
    if (typed !== null) return;
    typed = '';
    try {
      const { openSearch } = await import('./search-dialog.js');
      openSearch(root, typed);
    } finally {
      typed = null;
    }
  };
  button.addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isPalette = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (typed !== null && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      typed += event.key;
      return;
    }
    if (!isSlash && !isPalette) return;
    if (event.target.closest?.('input, select, textarea, dialog') !== null) return;
    event.preventDefault();
    void open();
  });
}

/** Loads account.js only for readers who have used the dashboard in this browser. No other reader can be signed in to the dashboard. */
function addAccount() {
  try {
    if (document.querySelector('#page-account') === null || localStorage.getItem('posthorn-project') === null)
      return;
  } catch {
    return;
  }
  void import('./account.js').then(({ showAccount }) => showAccount(root));
}
