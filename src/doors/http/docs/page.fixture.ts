/** Parses the HTML of a page strictly. Anything that a browser would have to repair is an error. */
import assert from 'node:assert/strict';

export interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** The text of the element, without tags and with entities resolved. */
  text: string;
  parent: Element | null;
}

const VOID = new Set(['meta', 'link', 'input', 'img']);
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)>/g;
const ATTRIBUTE = / ([a-zA-Z-]+)(?:="([^"]*)")?/g;
const BLOCKS = new Set('p div pre ul ol li dl dt dd table section article nav main h1 h2 h3 h4'.split(' '));
/** The only elements that may be children of elements with a strict content model. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  ul: ['li'],
  ol: ['li'],
  dl: ['div'],
  table: ['thead', 'tbody'],
  thead: ['tr'],
  tbody: ['tr'],
  tr: ['th', 'td'],
};

/** @throws AssertionError for unbalanced or misplaced tags, or for a `<` that does not start a tag */
export function elementsOf(page: string): Element[] {
  assert.ok(page.startsWith('<!doctype html>\n'));
  const source = page.slice('<!doctype html>'.length);
  const elements: Element[] = [];
  const open: Element[] = [];
  let from = 0;
  const addText = (text: string): void => {
    assert.ok(!/[<>]/.test(text), `a stray angle bracket in ${text.slice(0, 200)}`);
    assert.ok(!/&(?!(?:amp|lt|gt|quot|#39);)/.test(text), `a stray ampersand in ${text.slice(0, 200)}`);
    for (const element of open) element.text += unescape(text);
  };
  for (const match of source.matchAll(TAG)) {
    const [whole, slash, name = '', attributes = ''] = match;
    addText(source.slice(from, match.index));
    from = match.index + whole.length;
    if (slash === '/') assert.equal(open.pop()?.name, name, `at ${source.slice(match.index - 80, from)}`);
    else {
      const parent = open.at(-1) ?? null;
      const element = { name, attributes: attributesOf(attributes), text: '', parent };
      checkParent(element, open);
      elements.push(element);
      if (!VOID.has(name)) open.push(element);
    }
  }
  addText(source.slice(from));
  assert.deepEqual(open, []);
  return elements;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    assert.ok(!(name in attributes), `${name} twice`);
    attributes[name] = unescape(value);
  }
  return attributes;
}

function checkParent({ name, parent }: Element, open: readonly Element[]): void {
  const allowed = parent === null ? undefined : CHILDREN[parent.name];
  assert.ok(allowed === undefined || allowed.includes(name), `${name} inside ${parent?.name}`);
  const inline = open.find((element) => /^(?:p|h[1-4]|a|span|code|strong)$/.test(element.name));
  assert.ok(inline === undefined || !BLOCKS.has(name), `${name} inside ${inline?.name}`);
  assert.ok(name !== 'a' || open.every((element) => element.name !== 'a'), 'a link inside a link');
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** @throws AssertionError for inline code or style, resources of other origins, broken links, or headings out of order */
export function checkPage(page: string): Element[] {
  const elements = elementsOf(page);
  const named = (name: string) => elements.filter((element) => element.name === name);

  for (const { name, attributes, text } of elements) {
    const inline = Object.keys(attributes).find(
      (attribute) => attribute === 'style' || attribute.startsWith('on'),
    );
    assert.equal(inline, undefined, `${name} has ${inline}`);
    assert.ok(!['style', 'iframe', 'object', 'embed', 'form', 'base'].includes(name), name);
    if (name === 'script') assert.equal(text, '');
    if (name === 'img') assert.ok(attributes['alt'], 'an image has alt text');
    const loaded = ['script', 'img'].includes(name)
      ? attributes['src']
      : name === 'link'
        ? attributes['href']
        : './';
    assert.match(loaded ?? '', /^\.\.?\//, `${name} loads ${loaded}`);
  }

  const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
  assert.equal(new Set(ids).size, ids.length, 'every id is unique');
  for (const { attributes } of elements) {
    const { href = '', for: input, 'aria-labelledby': label, 'aria-controls': controls } = attributes;
    const targets = [href.startsWith('#') ? href.slice(1) : undefined, input, label, controls];
    for (const target of targets) assert.ok(target === undefined || ids.includes(target), `no #${target}`);
  }

  const levels = elements.flatMap(({ name }) => /^h([1-6])$/.exec(name)?.[1] ?? []).map(Number);
  assert.equal(levels.filter((level) => level === 1).length, 1, 'one h1');
  for (const [at, level] of levels.entries()) {
    assert.ok(level <= (levels[at - 1] ?? 0) + 1, `h${level} after h${levels[at - 1]}`);
  }
  for (const name of ['main', 'header', 'title']) assert.equal(named(name).length, 1, `one ${name}`);
  for (const nav of named('nav')) assert.ok(nav.attributes['aria-label'], 'a nav has a name');
  assert.equal(named('html')[0]?.attributes['lang'], 'en');
  assert.equal(named('a')[0]?.attributes['href'], '#content', 'the first link skips to the content');
  return elements;
}
