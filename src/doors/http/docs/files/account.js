// For users who are signed in to the dashboard, shows their own domain in the examples and lets them try read operations. The browser adds
// all of this, because the server sends the same page to everyone.
import { addTries } from './try.js';

const LAST_PROJECT = 'posthorn-project';

export async function showAccount(root) {
  const session = await ask(`${root}dashboard/api/session`);
  const [first] = session?.projects ?? [];
  if (first === undefined) return;
  const texts = textsOfExamples();
  const hosted = session.service.hosted_domain;
  const account = document.querySelector('#page-account');
  const domainShown = document.createElement('code');
  const keys = link('Create an API key', '');
  const select = document.createElement('select');
  select.setAttribute('aria-label', 'Project');
  for (const { id, name } of session.projects) select.append(new Option(name, id));

  const show = async () => {
    const { value: project } = select;
    const domain = await domainOf(root, project, hosted);
    if (select.value !== project) return;
    domainShown.textContent = domain;
    keys.href = `${root}dashboard/api-keys?project=${project}`;
    for (const { node, text } of texts) node.data = text.replaceAll(`@${hosted}`, `@${domain}`);
  };
  select.value = localStorage.getItem(LAST_PROJECT) ?? '';
  if (select.value === '') select.value = first.id;
  select.addEventListener('change', () => void show());
  await show();
  account.append(
    `Signed in as ${session.user.email}. The examples send from `,
    domainShown,
    ' of the project ',
    select,
    keys,
  );
  account.hidden = false;
  addTries({ root, session, project: () => select.value });
}

/** @returns the parsed response; null if the request fails or is rejected */
async function ask(url) {
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** A verified domain of the project. If the project has none, the hosted domain, which all projects share. */
async function domainOf(root, project, hosted) {
  const domains = await ask(`${root}dashboard/api/projects/${project}/domains`);
  return domains?.data.find(({ status, is_hosted }) => status === 'verified' && !is_hosted)?.domain ?? hosted;
}

function textsOfExamples() {
  const texts = [];
  for (const code of document.querySelectorAll('.example code')) {
    // The markup for syntax colors splits an example into elements.
    const nodes = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) texts.push({ node: nodes.currentNode, text: nodes.currentNode.data });
  }
  return texts;
}

function link(text, href) {
  const element = document.createElement('a');
  element.textContent = text;
  element.href = href;
  return element;
}
