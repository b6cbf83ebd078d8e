/** The two algorithms of THREAD (RFC 5256, section 3). */

export interface ThreadedMessage {
  /** The number of the message in the response, a sequence number or a UID. */
  number: number;
  messageId: string | null;
  /** The ids of the earlier messages in the conversation, the oldest first. */
  ancestors: readonly string[];
  /** The subject without prefixes such as `Re:`. Compared case-insensitively. */
  baseSubject: string;
  isAnswer: boolean;
  sentAtMs: number;
}

/** A message and its replies. If `message` is null, the replies are to a message that is not in the folder. */
export interface ThreadNode {
  message: ThreadedMessage | null;
  children: ThreadNode[];
}

interface Node extends ThreadNode {
  parent: Node | null;
  children: Node[];
  /** The position of the message in the input, which orders messages with the same time. */
  at: number;
}

/** The maximum depth of a thread. Attack: in a chain of a hundred thousand replies, the ancestors of each message would be visited. */
const MAX_DEPTH = 1_000;
/** The number of steps, taking one to three milliseconds, after which the algorithm yields to other work. */
const YIELD_AFTER = 20_000;
/** The number of nodes that are sorted in one call. */
const RUN = 1_000;
/** The number of steps that are counted for each sorted node. */
const SORTING = 10;

/** Counts steps and yields to other work. Attack: the content of one mailbox blocks all users. */
class StepCounter {
  readonly #yieldToOthers: () => Promise<void>;
  #steps = 0;

  constructor(yieldToOthers: () => Promise<void>) {
    this.#yieldToOthers = yieldToOthers;
  }

  count(steps: number): void {
    this.#steps += steps;
  }

  /** Whether to call `yieldToOthers`. One call per message would double the running time, because each call awaits a promise. */
  get isDue(): boolean {
    return this.#steps > YIELD_AFTER;
  }

  async yieldToOthers(): Promise<void> {
    this.#steps = 0;
    await this.#yieldToOthers();
  }
}

/**
 * Threads messages by references and then by subject (REFERENCES).
 * @param messages messages in the order of the folder
 * @param yieldToOthers called and awaited regularly, so that other work can run
 */
export async function threadByReferences(
  messages: readonly ThreadedMessage[],
  yieldToOthers: () => Promise<void>,
): Promise<ThreadNode[]> {
  const counter = new StepCounter(yieldToOthers);
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
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1 + message.ancestors.length);
    const id = message.messageId === null ? null : normalId(message.messageId);
    const known = id === null ? undefined : nodeOf(id);
    let node = known;
    // If several messages have the same id, the id belongs to the first message.
    if (node === undefined || node.message !== null) {
      node = { message, parent: null, children: [], at };
      nodes.push(node);
    }
    node.message = message;
    node.at = at;
    let before: Node | null = null;
    for (const ancestor of message.ancestors) {
      const next = nodeOf(normalId(ancestor));
      if (before !== null && next.parent === null && !isWithin(before, next, counter)) next.parent = before;
      before = next;
    }
    node.parent = null;
    if (before !== null && !isWithin(before, node, counter)) node.parent = before;
  }
  const root: Node = { message: null, parent: null, children: [], at: 0 };
  for (const node of nodes) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    (node.parent ?? root).children.push(node);
  }
  await prune(root, counter);
  await sort(root, counter);
  await mergeSubjects(root, counter);
  await sort(root, counter);
  return root.children;
}

/**
 * Threads messages by subject only (ORDEREDSUBJECT).
 * @param messages in the order of the folder
 * @param yieldToOthers see `threadByReferences`
 */
export async function threadBySubject(
  messages: readonly ThreadedMessage[],
  yieldToOthers: () => Promise<void>,
): Promise<ThreadNode[]> {
  const counter = new StepCounter(yieldToOthers);
  const threads = new Map<string, Node>();
  const nodes = messages.map((message, at): Node => ({ message, parent: null, children: [], at }));
  for (const node of await sorted(nodes, counter)) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    const subject = node.message?.baseSubject ?? '';
    const first = threads.get(subject);
    if (first === undefined) threads.set(subject, node);
    else first.children.push(node);
  }
  return sorted([...threads.values()], counter);
}

/** Normalizes the quotes of an id, so that `"a"@b` becomes `a@b`. Upper and lower case stay different. */
function normalId(id: string): string {
  return id.replace(/^<"((?:[^"\\]|\\.)*)"@/, (_, quoted: string) => `<${quoted.replace(/\\(.)/g, '$1')}@`);
}

/** Whether `node` is `other` or a descendant of `other`. If so, `node` cannot become the parent of `other` without a loop. */
function isWithin(node: Node, other: Node, counter: StepCounter): boolean {
  let depth = 0;
  let up: Node | null = node;
  while (up !== null && up !== other && ++depth <= MAX_DEPTH) up = up.parent;
  counter.count(depth);
  return up !== null;
}

/** The root and all its descendants, children before their parents. */
async function fromBelow(root: Node, counter: StepCounter): Promise<Node[]> {
  const all: Node[] = [root];
  for (let at = 0; at < all.length; at++) {
    if (counter.isDue) await counter.yieldToOthers();
    const { children } = all[at] as Node;
    counter.count(1 + children.length);
    for (const child of children) all.push(child);
  }
  return all.reverse();
}

/** Removes nodes without a message (RFC 5256, section 3, step 3). */
async function prune(root: Node, counter: StepCounter): Promise<void> {
  for (const node of await fromBelow(root, counter)) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1 + node.children.length);
    if (!node.children.some(isEmpty)) continue;
    const remaining: Node[] = [];
    for (const child of node.children) {
      if (!isEmpty(child) || (node === root && child.children.length > 1)) remaining.push(child);
      else for (const grandchild of child.children) remaining.push(grandchild);
    }
    node.children = remaining;
  }
}

function isEmpty({ message }: Node): boolean {
  return message === null;
}

/**
 * Sorts nodes after their children, because a node without a message has the time of its first child (RFC 5256, section 3, steps 4 and 6).
 */
async function sort(root: Node, counter: StepCounter): Promise<void> {
  for (const node of await fromBelow(root, counter)) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    if (node.children.length > 1) node.children = await sorted(node.children, counter);
  }
}

/** Sorts nodes by time, as runs that are then merged. A single sort of a hundred thousand nodes would block other work for 0.2 s. */
async function sorted(nodes: Node[], counter: StepCounter): Promise<Node[]> {
  let runs: Node[][] = [];
  for (let at = 0; at < nodes.length; at += RUN) {
    if (counter.isDue) await counter.yieldToOthers();
    const run = nodes.length <= RUN ? nodes : nodes.slice(at, at + RUN);
    counter.count(run.length * SORTING);
    runs.push(run.sort(byTime));
  }
  while (runs.length > 1) {
    const merged: Node[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] as Node[], runs[at + 1] ?? [], counter));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(one: readonly Node[], other: readonly Node[], counter: StepCounter): Promise<Node[]> {
  const both: Node[] = [];
  for (let [at, otherAt] = [0, 0]; at < one.length || otherAt < other.length; ) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(2);
    const [left, right] = [one[at], other[otherAt]];
    if (left !== undefined && (right === undefined || !(byTime(left, right) > 0))) {
      both.push(left);
      at++;
    } else if (right !== undefined) {
      both.push(right);
      otherAt++;
    }
  }
  return both;
}

function byTime(a: Node, b: Node): number {
  const [one, other] = [firstOf(a), firstOf(b)];
  return (one.message?.sentAtMs ?? 0) - (other.message?.sentAtMs ?? 0) || one.at - other.at;
}

function firstOf(node: Node): Node {
  return node.message === null ? (node.children[0] ?? node) : node;
}

/** Merges threads with the same subject (RFC 5256, section 3, step 5). */
async function mergeSubjects(root: Node, counter: StepCounter): Promise<void> {
  const bySubject = new Map<string, Node>();
  const isAnswer = (node: Node) => node.message?.isAnswer === true;
  for (const node of root.children) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    const subject = subjectOf(node);
    const other = bySubject.get(subject);
    const isBetter =
      other === undefined || (!isEmpty(other) && (isEmpty(node) || (isAnswer(other) && !isAnswer(node))));
    if (subject !== '' && isBetter) bySubject.set(subject, node);
  }
  const removed = new Set<Node>();
  const created: Node[] = [];
  for (const node of root.children) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    const subject = subjectOf(node);
    const other = bySubject.get(subject);
    if (other === undefined || other === node) continue;
    removed.add(node);
    if (isEmpty(node) && isEmpty(other)) for (const child of node.children) other.children.push(child);
    else if (isEmpty(other) || (isAnswer(node) && !isAnswer(other))) other.children.push(node);
    else {
      removed.add(other);
      const both: Node = { message: null, parent: null, children: [other, node], at: 0 };
      created.push(both);
      bySubject.set(subject, both);
    }
  }
  root.children = [...root.children, ...created].filter((node) => !removed.has(node));
}

function subjectOf(node: Node): string {
  return firstOf(node).message?.baseSubject ?? '';
}

/** Writes a thread of any depth for the response, such as `(1 2 (3)(4 5))`. Yields the text in pieces. */
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
