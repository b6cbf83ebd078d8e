/** The two ways in which THREAD puts messages together (RFC 5256, section 3). */

export interface ThreadedMessage {
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
  message: ThreadedMessage | null;
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
/** Looks at a message or an id after which others have their turn: one to three milliseconds. */
const REST_AFTER = 20_000;
/** Sorted at once. */
const RUN = 1_000;
/** What it takes to sort one of them. */
const SORTING = 10;

/** Attack: what one mailbox holds is to make everybody wait. So each step counts, and others have their turn after some. */
class Pace {
  readonly #rest: () => Promise<void>;
  #steps = 0;

  constructor(rest: () => Promise<void>) {
    this.#rest = rest;
  }

  count(steps: number): void {
    this.#steps += steps;
  }

  /** Asked before `rest`, because a promise for each message would take as long as all the rest. */
  get isDue(): boolean {
    return this.#steps > REST_AFTER;
  }

  async rest(): Promise<void> {
    this.#steps = 0;
    await this.#rest();
  }
}

/**
 * By what they answer, and by their subjects. @param messages in the order of the folder
 * @param rest awaited now and then
 */
export async function threadByReferences(
  messages: readonly ThreadedMessage[],
  rest: () => Promise<void>,
): Promise<ThreadNode[]> {
  const pace = new Pace(rest);
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
    if (pace.isDue) await pace.rest();
    pace.count(1 + message.ancestors.length);
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
      if (before !== null && next.parent === null && !isWithin(before, next, pace)) next.parent = before;
      before = next;
    }
    node.parent = null;
    if (before !== null && !isWithin(before, node, pace)) node.parent = before;
  }
  const root: Node = { message: null, parent: null, children: [], at: 0 };
  for (const node of nodes) {
    if (pace.isDue) await pace.rest();
    pace.count(1);
    (node.parent ?? root).children.push(node);
  }
  await prune(root, pace);
  await sort(root, pace);
  await mergeSubjects(root, pace);
  await sort(root, pace);
  return root.children;
}

/** By their subjects alone. @param messages in the order of the folder @param rest awaited now and then */
export async function threadBySubject(
  messages: readonly ThreadedMessage[],
  rest: () => Promise<void>,
): Promise<ThreadNode[]> {
  const pace = new Pace(rest);
  const threads = new Map<string, Node>();
  const nodes = messages.map((message, at): Node => ({ message, parent: null, children: [], at }));
  for (const node of await sorted(nodes, pace)) {
    if (pace.isDue) await pace.rest();
    pace.count(1);
    const subject = node.message?.baseSubject ?? '';
    const first = threads.get(subject);
    if (first === undefined) threads.set(subject, node);
    else first.children.push(node);
  }
  return sorted([...threads.values()], pace);
}

/** `"a"@b` and `a@b` are one id. Case counts. */
function normalId(id: string): string {
  return id.replace(/^<"((?:[^"\\]|\\.)*)"@/, (_, quoted: string) => `<${quoted.replace(/\\(.)/g, '$1')}@`);
}

/** Whether a node is another one, or somewhere below it: as its parent it would close a circle. */
function isWithin(node: Node, other: Node, pace: Pace): boolean {
  let depth = 0;
  let up: Node | null = node;
  while (up !== null && up !== other && ++depth <= MAX_DEPTH) up = up.parent;
  pace.count(depth);
  return up !== null;
}

/** All below a node, children before their parents. However deep they are. */
async function fromBelow(root: Node, pace: Pace): Promise<Node[]> {
  const all: Node[] = [root];
  for (let at = 0; at < all.length; at++) {
    if (pace.isDue) await pace.rest();
    const { children } = all[at] as Node;
    pace.count(1 + children.length);
    for (const child of children) all.push(child);
  }
  return all.reverse();
}

/** Step 3: ids that nobody has a message of. */
async function prune(root: Node, pace: Pace): Promise<void> {
  for (const node of await fromBelow(root, pace)) {
    if (pace.isDue) await pace.rest();
    pace.count(1 + node.children.length);
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
async function sort(root: Node, pace: Pace): Promise<void> {
  for (const node of await fromBelow(root, pace)) {
    if (pace.isDue) await pace.rest();
    pace.count(1);
    if (node.children.length > 1) node.children = await sorted(node.children, pace);
  }
}

/** By their time, run by run, and then two runs at a time: a hundred thousand at once take a fifth of a second. */
async function sorted(nodes: Node[], pace: Pace): Promise<Node[]> {
  let runs: Node[][] = [];
  for (let at = 0; at < nodes.length; at += RUN) {
    if (pace.isDue) await pace.rest();
    const run = nodes.length <= RUN ? nodes : nodes.slice(at, at + RUN);
    pace.count(run.length * SORTING);
    runs.push(run.sort(byTime));
  }
  while (runs.length > 1) {
    const merged: Node[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] as Node[], runs[at + 1] ?? [], pace));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(one: readonly Node[], other: readonly Node[], pace: Pace): Promise<Node[]> {
  const both: Node[] = [];
  for (let [at, otherAt] = [0, 0]; at < one.length || otherAt < other.length; ) {
    if (pace.isDue) await pace.rest();
    pace.count(2);
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

/** Step 5. */
async function mergeSubjects(root: Node, pace: Pace): Promise<void> {
  const bySubject = new Map<string, Node>();
  const isAnswer = (node: Node) => node.message?.isAnswer === true;
  for (const node of root.children) {
    if (pace.isDue) await pace.rest();
    pace.count(1);
    const subject = subjectOf(node);
    const other = bySubject.get(subject);
    const isBetter =
      other === undefined || (!isEmpty(other) && (isEmpty(node) || (isAnswer(other) && !isAnswer(node))));
    if (subject !== '' && isBetter) bySubject.set(subject, node);
  }
  const gone = new Set<Node>();
  const made: Node[] = [];
  for (const node of root.children) {
    if (pace.isDue) await pace.rest();
    pace.count(1);
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
