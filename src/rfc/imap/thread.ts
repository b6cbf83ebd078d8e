/** The two ways in which THREAD puts messages together (RFC 5256, section 3). */

export interface ThreadMessage {
  /** As the answer names it. */
  number: number;
  messageId: string | null;
  /** The ids that it answers, the oldest first. */
  ancestors: readonly string[];
  /** Of which Re: and the like are taken away; case does not count. */
  baseSubject: string;
  isAnswer: boolean;
  sentAtMs: number;
}

/** A message and what answers it. Without a message: what belongs together, although nobody has what it answers. */
export interface ThreadNode {
  message: ThreadMessage | null;
  children: ThreadNode[];
}

interface Node extends ThreadNode {
  parent: Node | null;
  children: Node[];
  /** Where it came in, for those of one time. */
  at: number;
}

/** Attack: mail that answers mail, a hundred thousand deep, would make each look at all before it. */
const MAX_DEPTH = 1_000;
/** Messages after which others have their turn. */
const REST_AFTER = 2_000;

/**
 * By what they answer, and by their subjects. @param messages in the order of the folder
 * @param rest awaited now and then
 */
export async function threadByReferences(
  messages: readonly ThreadMessage[],
  rest: () => Promise<void>,
): Promise<ThreadNode[]> {
  const nodes: Node[] = [];
  const byId = new Map<string, Node>();
  const nodeOf = (id: string): Node => {
    const known = byId.get(id);
    if (known !== undefined) return known;
    const node: Node = { message: null, parent: null, children: [], at: Number.POSITIVE_INFINITY };
    byId.set(id, node);
    nodes.push(node);
    return node;
  };
  for (const [at, message] of messages.entries()) {
    if (at % REST_AFTER === REST_AFTER - 1) await rest();
    const id = message.messageId === null ? null : normalId(message.messageId);
    const known = id === null ? undefined : nodeOf(id);
    let node = known;
    // Of several with one id the first has it.
    if (node === undefined || node.message !== null) {
      node = { message, parent: null, children: [], at };
      nodes.push(node);
    }
    node.message = message;
    node.at = at;
    let before: Node | null = null;
    for (const ancestor of message.ancestors) {
      const next = nodeOf(normalId(ancestor));
      if (before !== null && next.parent === null && !isWithin(before, next)) next.parent = before;
      before = next;
    }
    node.parent = null;
    if (before !== null && !isWithin(before, node)) node.parent = before;
  }
  const root: Node = { message: null, parent: null, children: [], at: 0 };
  for (const node of nodes) (node.parent ?? root).children.push(node);
  await rest();
  prune(root);
  await rest();
  sort(root);
  await rest();
  mergeSubjects(root);
  await rest();
  sort(root);
  return root.children;
}

/** By their subjects alone. @param messages in the order of the folder */
export function threadBySubject(messages: readonly ThreadMessage[]): ThreadNode[] {
  const threads = new Map<string, Node>();
  const nodes = messages.map((message, at): Node => ({ message, parent: null, children: [], at }));
  for (const node of nodes.sort(byTime)) {
    const subject = node.message?.baseSubject ?? '';
    const first = threads.get(subject);
    if (first === undefined) threads.set(subject, node);
    else first.children.push(node);
  }
  return [...threads.values()].sort(byTime);
}

/** `"a"@b` and `a@b` are one id. Case counts. */
function normalId(id: string): string {
  return id.replace(/^<"((?:[^"\\]|\\.)*)"@/, (_, quoted: string) => `<${quoted.replace(/\\(.)/g, '$1')}@`);
}

/** Whether a node is another one, or somewhere below it: as its parent it would close a circle. */
function isWithin(node: Node, other: Node): boolean {
  let depth = 0;
  for (let up: Node | null = node; up !== null; up = up.parent)
    if (up === other || ++depth > MAX_DEPTH) return true;
  return false;
}

/** All below a node, children before their parents. However deep they are. */
function fromBelow(root: Node): Node[] {
  const all: Node[] = [root];
  for (let at = 0; at < all.length; at++) for (const child of (all[at] as Node).children) all.push(child);
  return all.reverse();
}

/** Step 3: ids that nobody has a message of. */
function prune(root: Node): void {
  for (const node of fromBelow(root)) {
    if (!node.children.some(isEmpty)) continue;
    const kept: Node[] = [];
    for (const child of node.children) {
      if (!isEmpty(child) || (node === root && child.children.length > 1)) kept.push(child);
      else for (const grandchild of child.children) kept.push(grandchild);
    }
    node.children = kept;
  }
}

function isEmpty({ message }: Node): boolean {
  return message === null;
}

/** Steps 4 and 6: below first, because what has no message is of the time of its first child. */
function sort(root: Node): void {
  for (const node of fromBelow(root)) if (node.children.length > 1) node.children.sort(byTime);
}

function byTime(a: Node, b: Node): number {
  const [one, other] = [firstOf(a), firstOf(b)];
  return (one.message?.sentAtMs ?? 0) - (other.message?.sentAtMs ?? 0) || one.at - other.at;
}

function firstOf(node: Node): Node {
  return node.message === null ? (node.children[0] ?? node) : node;
}

/** Step 5. */
function mergeSubjects(root: Node): void {
  const bySubject = new Map<string, Node>();
  const isAnswer = (node: Node) => node.message?.isAnswer === true;
  for (const node of root.children) {
    const subject = subjectOf(node);
    const other = bySubject.get(subject);
    const isBetter =
      other === undefined || (!isEmpty(other) && (isEmpty(node) || (isAnswer(other) && !isAnswer(node))));
    if (subject !== '' && isBetter) bySubject.set(subject, node);
  }
  const gone = new Set<Node>();
  const made: Node[] = [];
  for (const node of root.children) {
    const subject = subjectOf(node);
    const other = bySubject.get(subject);
    if (other === undefined || other === node) continue;
    gone.add(node);
    if (isEmpty(node) && isEmpty(other)) for (const child of node.children) other.children.push(child);
    else if (isEmpty(other) || (isAnswer(node) && !isAnswer(other))) other.children.push(node);
    else {
      gone.add(other);
      const both: Node = { message: null, parent: null, children: [other, node], at: 0 };
      made.push(both);
      bySubject.set(subject, both);
    }
  }
  root.children = [...root.children, ...made].filter((node) => !gone.has(node));
}

function subjectOf(node: Node): string {
  return firstOf(node).message?.baseSubject ?? '';
}

/** As the answer has a thread: `(1 2 (3)(4 5))`, in pieces, however deep it is. */
export function* formatThread(thread: ThreadNode): Generator<string> {
  const open: (ThreadNode | string)[] = [')', thread, '('];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      yield next;
      continue;
    }
    const { message, children } = next;
    if (message !== null) yield `${message.number}${children.length > 0 ? ' ' : ''}`;
    const [only] = children;
    if (message !== null && children.length === 1 && only !== undefined) open.push(only);
    else for (const child of children.toReversed()) open.push(')', child, '(');
  }
}
