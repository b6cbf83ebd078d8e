/** The steps of RFC 5256, section 3, one after the other, to compare `threadByReferences` with. Too slow for large folders. */
import type { ThreadedMessage } from './thread.ts';

interface Node {
  message: ThreadedMessage | null;
  parent: Node | null;
  children: Node[];
}

/** Threads messages, which must be in ascending order of their numbers. @returns the threads as in the response */
export function threadStepByStep(messages: readonly ThreadedMessage[]): string {
  let threads = prune(linkReferences(messages), true).sort(byTime);
  threads = mergeSubjects(threads);
  sortAll(threads);
  return threads.map((thread) => `(${textOf(thread)})`).join('');
}

function newNode(message: ThreadedMessage | null, children: Node[] = []): Node {
  return { message, parent: null, children };
}

/** Steps 1 and 2: links the messages by their references. @returns the nodes without a parent */
function linkReferences(messages: readonly ThreadedMessage[]): Node[] {
  const byId = new Map<string, Node>();
  const nodes: Node[] = [];
  const nodeOf = (id: string): Node => {
    let node = byId.get(id);
    if (node === undefined) nodes.push((node = newNode(null)));
    byId.set(id, node);
    return node;
  };
  for (const message of messages) {
    let node = message.messageId === null ? newNode(null) : nodeOf(message.messageId);
    if (node.message !== null) node = newNode(null);
    if (!nodes.includes(node)) nodes.push(node);
    node.message = message;
    let before: Node | null = null;
    for (const ancestor of message.ancestors.map(nodeOf)) {
      if (before !== null && ancestor.parent === null && !isAbove(ancestor, before)) ancestor.parent = before;
      before = ancestor;
    }
    node.parent = before === null || isAbove(node, before) ? null : before;
  }
  for (const node of nodes) node.parent?.children.push(node);
  return nodes.filter(({ parent }) => parent === null);
}

function isAbove(node: Node, other: Node | null): boolean {
  return other !== null && (other === node || isAbove(node, other.parent));
}

/** Step 3: removes nodes without a message. */
function prune(nodes: Node[], isTop: boolean): Node[] {
  return nodes.flatMap((node) => {
    node.children = prune(node.children, false);
    return node.message !== null || (isTop && node.children.length > 1) ? [node] : node.children;
  });
}

/** Steps 4 and 6: the order by time. Nodes with the same time stay in the order of the folder. */
function byTime(one: Node, other: Node): number {
  const [a, b] = [firstOf(one), firstOf(other)];
  return a.sentAtMs - b.sentAtMs || a.number - b.number;
}

function firstOf({ message, children }: Node): ThreadedMessage {
  return message ?? firstOf(children.toSorted(byTime)[0] as Node);
}

function sortAll(nodes: Node[]): void {
  for (const { children } of nodes) sortAll(children);
  nodes.sort(byTime);
}

/** Step 5: merges threads with the same subject. */
function mergeSubjects(threads: Node[]): Node[] {
  const subjectOf = (node: Node) => firstOf(node).baseSubject;
  const isAnswer = (node: Node) => node.message?.isAnswer === true;
  const bySubject = new Map<string, Node>();
  for (const thread of threads) {
    const known = bySubject.get(subjectOf(thread));
    if (
      known === undefined ||
      (thread.message === null && known.message !== null) ||
      (known.message !== null && isAnswer(known) && !isAnswer(thread))
    )
      bySubject.set(subjectOf(thread), thread);
  }
  bySubject.delete('');
  const merged = new Set(threads);
  for (const thread of threads) {
    const known = bySubject.get(subjectOf(thread));
    if (known === undefined || known === thread) continue;
    merged.delete(thread);
    if (thread.message === null && known.message === null) known.children.push(...thread.children);
    else if (known.message === null || (isAnswer(thread) && !isAnswer(known))) known.children.push(thread);
    else {
      const both = newNode(null, [known, thread]);
      merged.delete(known);
      merged.add(both);
      bySubject.set(subjectOf(thread), both);
    }
  }
  return [...merged];
}

function textOf({ message, children }: Node): string {
  const [only] = children;
  const isChain = message !== null && children.length === 1 && only !== undefined;
  const rest = isChain ? textOf(only) : children.map((child) => `(${textOf(child)})`).join('');
  return message === null ? rest : `${message.number}${rest === '' ? '' : ' '}${rest}`;
}
