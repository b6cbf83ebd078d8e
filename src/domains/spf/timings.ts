import { fixed } from '../../model/fixed.ts';

/** Timings of SPF evaluation, in milliseconds. */
export const TIMINGS = fixed({
  /** The time limit for the DNS queries of one policy. It is short, because a user may be waiting. */
  queriesMs: 5_000,
  /** The time limit for one policy, including the time in which the thread evaluates others. */
  totalMs: 20_000,
  /** The time limit for one answer of the thread. The first answer includes its start; an evaluation takes a few milliseconds. */
  threadAnswerMs: 10_000,
  /** The time without work after which the thread ends. Short, because a process that has nothing else to do waits for it. */
  threadIdleMs: 1_000,
});
