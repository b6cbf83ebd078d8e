import { ReadingLine, type ReadingLineOptions } from './reading-line.ts';

/** What is done for a client without a look at the others. */
const TURN_MS = 2;
const nextTurn: ReadingLineOptions = { later: setImmediate, atOnce: () => 2 };
/** Those who have signed in do not wait for the others. */
const NEXT = { ofTrusted: new ReadingLine(nextTurn), ofOthers: new ReadingLine(nextTurn) };

/**
 * Between commands that were sent ahead others have their turn. Attack: 8,000 commands in one piece, whose answers need nothing that is waited for: all of
 * them would be answered before anything else is looked at.
 */
export class CommandPacer {
  #sinceMs = performance.now();

  /** Something was waited for, so the others had theirs. */
  begin(): void {
    this.#sinceMs = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs > TURN_MS;
  }

  /** Resolves when it is this client's turn again. */
  async pass(isTrusted: boolean): Promise<void> {
    const line = isTrusted ? NEXT.ofTrusted : NEXT.ofOthers;
    await new Promise<void>((resolve) => line.join(resolve));
    this.begin();
  }
}
