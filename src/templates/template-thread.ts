import { AnsweringThread } from '../concurrency/answering-thread.ts';
import { type AppError, unavailable } from '../model/app-error.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import type { RenderResults, Kind, RenderTask, RenderTasks } from './question.ts';
import { TIMINGS } from './timings.ts';

const MAX_WAITING_PER_OWNER = 1_000;
const NEVER = new AbortController().signal;

/** Parses and fills one template at a time in a worker thread. Projects get fair shares of its time. */
export class TemplateThread implements AsyncDisposable {
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING_PER_OWNER,
    makeError: tooManyTemplates,
  });
  readonly #thread: AnsweringThread<RenderResults[Kind]>;

  constructor(name: string) {
    this.#thread = new AnsweringThread({
      name,
      code: new URL('./thread.ts', import.meta.url),
      timings: TIMINGS,
    });
  }

  /** @throws AppError unavailable */
  async run<Of extends Kind>(
    projectId: string,
    kind: Of,
    fields: RenderTasks[Of],
  ): Promise<RenderResults[Of]> {
    const task = { kind, ...fields } as RenderTask;
    const answer = await this.#slots.run(projectId, NEVER, () => this.#thread.ask(async () => [task, []]));
    if (answer === null)
      throw unavailable('Reading this template took too long. Try again in a few seconds.');
    return answer as RenderResults[Of];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}

export function tooManyTemplates(): AppError {
  return unavailable('Too many templates of this project are being filled in. Try again in a few seconds.');
}
