/**
 * Checks that HTML is small and flat enough to be turned into a DOM and sanitized. A browser's parser produces more elements than the text
 * contains: it reopens unclosed elements in each paragraph and ignores unmatched end tags. Therefore this module runs such a parser that
 * only counts elements and stops at the limits. The counting parser is a hundred times as fast.
 */
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse } from 'parse5';
import { nextMarkup } from '../../../rfc/message/html-scan.ts';
import { FullTagReader } from '../../../rfc/message/html-tags.ts';

/** The maximum number of characters: ten times the length of a long newsletter. */
export const MAX_HTML = 2_097_152;
/** The maximum number of elements and comments. */
const MAX_NODES = 25_000;
/** The maximum depth. Browsers themselves go no deeper than 512. */
const MAX_DEPTH = 400;
/** The maximum sum of the depths of all nodes. The time to build the tree is proportional to this sum. */
const MAX_DEPTHS = 1_000_000;
/** The maximum number of characters of text. To justify a paragraph, a browser takes time proportional to the square of its length. */
const MAX_TEXT = 500_000;
/** The maximum number of attributes of a tag. The parser compares each attribute with all previous attributes. */
const MAX_ATTRIBUTES = 200;
const MAX_ALL_ATTRIBUTES = 100_000;
/** The average number of times that a character may be read as a part of a possible tag. */
const MAX_TIMES_READ = 3;

type ParentNode = DefaultTreeAdapterMap['parentNode'];
type ChildNode = DefaultTreeAdapterMap['childNode'];

class TooMuch extends Error {}

/** Takes time proportional to the length of the HTML. */
export function isTooMuch(html: string): boolean {
  if (html.length > MAX_HTML || hasTooManyAttributes(html)) return true;
  try {
    const document = parse(html, { treeAdapter: countingAdapter(), scriptingEnabled: false });
    return isTooDeep(document);
  } catch (error) {
    if (error instanceof TooMuch) return true;
    throw error;
  }
}

/** Checks the attributes before the parser runs. Any text that starts like a tag counts as a tag, even within a comment or a script. */
function hasTooManyAttributes(html: string): boolean {
  const tag = new FullTagReader();
  let read = 0;
  let attributes = 0;
  for (let at = nextMarkup(html, 0); at < html.length; at = nextMarkup(html, at + 1)) {
    const end = tag.read(html, at + 1);
    attributes += tag.attributes.size;
    if (tag.attributes.size > MAX_ATTRIBUTES || attributes > MAX_ALL_ATTRIBUTES) return true;
    read += (end === -1 ? html.length : end) - at;
    if (read > html.length * MAX_TIMES_READ) return true;
  }
  return false;
}

/** Throws `TooMuch` at a limit. Tracks the depth at which each node is inserted, so that parsing of ever deeper HTML stops early. */
function countingAdapter(): typeof defaultTreeAdapter {
  const depths = new WeakMap<ParentNode | ChildNode, number>();
  let nodes = 0;
  let text = 0;
  const countText = (parent: ParentNode, added: string): void => {
    if ('tagName' in parent && parent.tagName === 'style') return;
    if ((text += added.length) > MAX_TEXT) throw new TooMuch();
  };
  const count = <Node>(node: Node): Node => {
    if (++nodes > MAX_NODES) throw new TooMuch();
    return node;
  };
  const put = (parent: ParentNode, node: ChildNode): void => {
    const depth = (depths.get(parent) ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new TooMuch();
    depths.set(node, depth);
  };
  return {
    ...defaultTreeAdapter,
    createElement: (...element) => count(defaultTreeAdapter.createElement(...element)),
    createCommentNode: (...comment) => count(defaultTreeAdapter.createCommentNode(...comment)),
    insertText(parent, added) {
      countText(parent, added);
      defaultTreeAdapter.insertText(parent, added);
    },
    insertTextBefore(parent, added, reference) {
      countText(parent, added);
      defaultTreeAdapter.insertTextBefore(parent, added, reference);
    },
    appendChild(parent, node) {
      put(parent, node);
      defaultTreeAdapter.appendChild(parent, node);
    },
    insertBefore(parent, node, reference) {
      put(parent, node);
      defaultTreeAdapter.insertBefore(parent, node, reference);
    },
  };
}

/** Checks the finished tree, because the parser may have moved whole subtrees. */
function isTooDeep(document: ParentNode): boolean {
  let depths = 0;
  let level: ParentNode[] = [document];
  for (let depth = 1; level.length > 0; depth++) {
    for (const { childNodes } of level) depths += childNodes.length * depth;
    if (depth > MAX_DEPTH || depths > MAX_DEPTHS) return true;
    level = level.flatMap(insideOf);
  }
  return false;
}

function insideOf(node: ParentNode): ParentNode[] {
  const inside = node.childNodes.filter((child) => 'childNodes' in child);
  return 'content' in node ? [...inside, node.content] : inside;
}
