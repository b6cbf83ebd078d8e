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

/** Stands for "no node" wherever a number of a node is expected. */
const NONE = -1;
/** The maximum depth of a thread. Attack: a chain of 100,000 replies takes quadratic time, because each message visits its ancestors. */
const MAX_DEPTH = 1_000;
/** The number of steps, taking one to three milliseconds, after which the algorithm yields to other work. */
const YIELD_AFTER = 20_000;
/** Looking up a text in a map counts as this many steps. */
const LOOKUP = 4;
/** How many messages `byTime` merges before it checks again whether to yield. */
const RUN = 1_000;
/** The response is returned in pieces of about this many characters. */
const PIECE = 32_768;

/** Counts steps, so that threading yields to other work. Attack: the messages in one mailbox keep the process busy for all users. */
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
 * The parent of each node, or `NONE`. Nodes are numbers: first the messages in the order of the input, then the ids without a message and
 * the groups of messages. Numbers need a tenth of the memory and time of objects.
 */
type Parents = number[];

/**
 * Threads messages by references and then by subject (REFERENCES).
 * @param messages messages in the order of the folder
 * @param yieldToOthers called and awaited regularly, so that other work can run
 * @returns the threads for the response, such as `(1 2 (3)(4 5))(6)`, in pieces
 */
export async function threadByReferences(
  messages: readonly ThreadedMessage[],
  yieldToOthers: () => Promise<void>,
): Promise<string[]> {
  const counter = new StepCounter(yieldToOthers);
  const parents = await linkReferences(messages, counter);
  await prune(messages.length, parents, counter);
  const order = await byTime(messages, counter);
  await mergeSubjects(messages, parents, order, counter);
  return format(messages, parents, order, counter);
}

/**
 * Threads messages by subject only (ORDEREDSUBJECT).
 * @param messages in the order of the folder
 * @param yieldToOthers see `threadByReferences` @returns see `threadByReferences`
 */
export async function threadBySubject(
  messages: readonly ThreadedMessage[],
  yieldToOthers: () => Promise<void>,
): Promise<string[]> {
  const counter = new StepCounter(yieldToOthers);
  const order = await byTime(messages, counter);
  const parents: Parents = messages.map(() => NONE);
  const firsts = new Map<string, number>();
  for (const node of order) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(LOOKUP);
    const { baseSubject } = messages[node] as ThreadedMessage;
    const first = firsts.get(baseSubject);
    if (first === undefined) firsts.set(baseSubject, node);
    else parents[node] = first;
  }
  return format(messages, parents, order, counter);
}

/** Links messages to the messages and ids that they refer to (RFC 5256, section 3, step 1). */
async function linkReferences(messages: readonly ThreadedMessage[], counter: StepCounter): Promise<Parents> {
  const parents: Parents = messages.map(() => NONE);
  const nodes = new Map<string, number>();
  for (const [node, { messageId }] of messages.entries()) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(LOOKUP);
    if (messageId === null) continue;
    const id = normalId(messageId);
    // If several messages have the same id, replies are linked to the first of these messages.
    if (!nodes.has(id)) nodes.set(id, node);
  }
  for (const [node, { ancestors }] of messages.entries()) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1 + LOOKUP * ancestors.length);
    let before = NONE;
    for (const ancestor of ancestors) {
      const id = normalId(ancestor);
      let next = nodes.get(id);
      if (next === undefined) {
        next = parents.push(NONE) - 1;
        nodes.set(id, next);
      }
      if (before !== NONE && parents[next] === NONE && !isWithin(parents, before, next, counter))
        parents[next] = before;
      before = next;
    }
    // The references of the message itself override those of its replies.
    parents[node] = NONE;
    if (before !== NONE && !isWithin(parents, before, node, counter)) parents[node] = before;
  }
  return parents;
}

/** Normalizes the quotes of an id, so that `"a"@b` becomes `a@b`. Upper and lower case stay different. */
function normalId(id: string): string {
  if (!id.startsWith('<"')) return id;
  return id.replace(/^<"((?:[^"\\]|\\.)*)"@/, (_, quoted: string) => `<${quoted.replace(/\\(.)/g, '$1')}@`);
}

/** Whether `node` is `other` or a descendant of `other`. If so, `node` cannot become the parent of `other` without a loop. */
function isWithin(parents: Parents, node: number, other: number, counter: StepCounter): boolean {
  let depth = 0;
  let up = node;
  while (up !== NONE && up !== other && ++depth <= MAX_DEPTH) up = parents[up] as number;
  counter.count(depth);
  return up !== NONE;
}

/**
 * Removes ids without a message (RFC 5256, section 3, step 3). The parent of a message becomes another message, `NONE`, or the topmost of
 * the ids above it, which groups several messages.
 * @param count the number of messages
 */
async function prune(count: number, parents: Parents, counter: StepCounter): Promise<void> {
  const groupSizes = new Map<number, number>();
  for (let node = 0; node < count; node++) {
    const parent = parents[node] as number;
    let top = parent;
    while (top >= count && parents[top] !== NONE) {
      if (counter.isDue) await counter.yieldToOthers();
      counter.count(1);
      top = parents[top] as number;
    }
    // Attack: a chain of a million ids above each message. Link each id directly to the top of the chain, so that it is climbed only once.
    for (let id = parent; id !== top; ) {
      if (counter.isDue) await counter.yieldToOthers();
      counter.count(1);
      const next = parents[id] as number;
      parents[id] = top;
      id = next;
    }
    parents[node] = top;
    if (top >= count) groupSizes.set(top, (groupSizes.get(top) ?? 0) + 1);
  }
  for (let node = 0; node < count; node++) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    if (groupSizes.get(parents[node] as number) === 1) parents[node] = NONE;
  }
}

/**
 * The messages sorted by time, and messages of the same time in the order of the input. This merge sort yields to other work, because
 * `toSorted` with a hundred thousand messages would block the event loop for 0.2 s.
 */
async function byTime(messages: readonly ThreadedMessage[], counter: StepCounter): Promise<Uint32Array> {
  const { length } = messages;
  const times = new Float64Array(length);
  let from = new Uint32Array(length);
  let to = new Uint32Array(length);
  for (const [at, { sentAtMs }] of messages.entries()) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    times[at] = sentAtMs;
    from[at] = at;
  }
  for (let width = 1; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(middle + width, length);
      let [one, other, at] = [start, middle, start];
      while (at < end) {
        if (counter.isDue) await counter.yieldToOthers();
        const until = Math.min(end, at + RUN);
        counter.count(until - at);
        while (at < until) {
          const isOne =
            one < middle &&
            !(
              other < end && (times[from[one] as number] as number) > (times[from[other] as number] as number)
            );
          to[at++] = from[isOne ? one++ : other++] as number;
        }
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Merges threads with the same subject (RFC 5256, section 3, step 5). @param order the messages sorted by time */
async function mergeSubjects(
  messages: readonly ThreadedMessage[],
  parents: Parents,
  order: Uint32Array,
  counter: StepCounter,
): Promise<void> {
  const count = messages.length;
  const isGroup = (node: number): boolean => node >= count;
  const isAnswer = (node: number): boolean => messages[node]?.isAnswer === true;
  /** The subject of each thread, by its topmost node. The subject of a group is the subject of its first message. */
  const subjects = new Map<number, string>();
  const bySubject = new Map<string, number>();
  for (const node of order) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(LOOKUP);
    const parent = parents[node] as number;
    if (parent !== NONE && !isGroup(parent)) continue;
    const top = parent === NONE ? node : parent;
    if (subjects.has(top)) continue;
    const { baseSubject } = messages[node] as ThreadedMessage;
    subjects.set(top, baseSubject);
    const other = bySubject.get(baseSubject);
    const isBetter =
      other === undefined || (!isGroup(other) && (isGroup(top) || (isAnswer(other) && !isAnswer(top))));
    if (baseSubject !== '' && isBetter) bySubject.set(baseSubject, top);
  }
  for (const [top, subject] of subjects) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(LOOKUP);
    const other = bySubject.get(subject);
    if (other === undefined || other === top) continue;
    // If both are groups, `format` moves the messages of this group to the other group.
    if (isGroup(other) || (isAnswer(top) && !isAnswer(other))) parents[top] = other;
    else {
      const both = parents.push(NONE) - 1;
      parents[top] = both;
      parents[other] = both;
      bySubject.set(subject, both);
    }
  }
}

/** Writes the threads for the response, in pieces. The children of a node are sorted by time (RFC 5256, section 3, steps 4 and 6). */
async function format(
  messages: readonly ThreadedMessage[],
  parents: Parents,
  order: Uint32Array,
  counter: StepCounter,
): Promise<string[]> {
  const count = messages.length;
  const root = parents.length;
  const firstChild = new Int32Array(root + 1).fill(NONE);
  const lastChild = new Int32Array(root + 1).fill(NONE);
  const nextSibling = new Int32Array(root).fill(NONE);
  const append = (parent: number, child: number): void => {
    const last = lastChild[parent] as number;
    if (last === NONE) firstChild[parent] = child;
    else nextSibling[last] = child;
    lastChild[parent] = child;
  };
  for (const node of order) {
    if (counter.isDue) await counter.yieldToOthers();
    counter.count(1);
    let parent = parents[node] as number;
    if (parent >= count) {
      // `mergeSubjects` put this group into another group.
      if (parents[parent] !== NONE) parent = parents[parent] as number;
      // A group has the time of its first message.
      if (firstChild[parent] === NONE) append(root, parent);
    }
    append(parent === NONE ? root : parent, node);
  }
  const pieces: string[] = [];
  let piece = '';
  // For each node whose parenthesis is open, the innermost last: the next child to write.
  const open = [firstChild[root] as number];
  for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
    if (thread === NONE) {
      if (open.length > 0) piece += ')';
      continue;
    }
    open.push(nextSibling[thread] as number);
    piece += '(';
    for (let node = thread; ; ) {
      if (counter.isDue) await counter.yieldToOthers();
      counter.count(1);
      if (piece.length > PIECE) {
        pieces.push(piece);
        piece = '';
      }
      const child = firstChild[node] as number;
      if (node < count) piece += `${(messages[node] as ThreadedMessage).number}${child === NONE ? '' : ' '}`;
      if (node < count && child !== NONE && nextSibling[child] === NONE) node = child;
      else {
        open.push(child);
        break;
      }
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
